"""Everyday words and turns that say the same, as data: what a paraphrase exchanges.

Each row holds words that stand for each other in both directions. Written from general
knowledge of plain English, reviewed for safety: no row holds two drugs, symptoms, body
parts, figures, negations, degrees, times or conditions that differ, and no word stands
in two rows. Only base forms and irregular forms are listed; regular endings of number
and tense are read by engine.validate.figures.
"""

# A word may be in one row only; the first word of a row stands for all of it.
WORDS = """
people person patient individual someone somebody anyone anybody
medicine medication drug
usually generally typically normally
caregiver carer
doctor physician
begin began begun start commence initiate
give gave given provide offer supply yield
show shown indicate reveal demonstrate display
make made
take took taken
keep kept maintain retain preserve
know knew known
grow grew grown
choose chose chosen select pick
hold held contain
send sent transmit
build built
find found
tell told inform notify say said
link connect connection
continue persist
stop
avoid
need require necessary
fail
suggest
appear
seem
receive get got gotten obtain
detect notice
create produce generate
help assist aid assistance
use utilize utilise employ
end finish conclude
happen occur arise arose arisen
lower reduce decrease lessen diminish
increase raise rise rose risen elevate heighten boost
improve enhance
worsen aggravate deteriorate
ease relieve alleviate soothe
prevent avert
check verify inspect examine
assess evaluate
buy bought purchase
contact call phone telephone
talk speak spoke spoken consult
explain clarify
change alter modify
remain stay
store save
remove delete erase eliminate
attach fasten
combine merge
divide split
carry transport convey
perform execute conduct run ran
move shift
rotate turn
fall fell fallen drop
arrive come came
leave left depart
measure gauge quantify
compute calculate
define specify
understand understood comprehend
teach taught instruct
want wish desire
try attempt
allow permit let enable
forbid forbade forbidden prohibit ban disallow
recommend advise
cause trigger
affect influence impact
damage harm injure
kill destroy
protect shield safeguard
eat ate eaten consume
feel felt experience
watch monitor observe
ignore disregard
refuse reject
disturb disrupt
limit restrict
depend rely
accelerate
discard
ensure
determine
participate
handle
accumulate
postpone delay defer latency lag
quick fast rapid swift quickly rapidly swiftly
quicker faster
slow slowly gradual gradually
large big
larger bigger
largest biggest
small tiny
crucial vital essential
dangerous hazardous
easy simple straightforward
easier simpler
easily simply
helpful useful beneficial
whole entire
total complete
fully completely totally entirely wholly
similar alike
same identical
previous prior
main primary chief principal
mainly primarily chiefly principally mostly largely
especially particularly
about approximately roughly around
nearly almost
often frequently
rarely seldom
sometimes occasionally
immediately instantly promptly straightaway
simultaneously concurrently
each every
perhaps maybe
until till
although though
should ought
correctly properly
shortly soon
afterward afterwards
toward towards
among amongst
through via
illness disease sickness
child children kid
fatigue tiredness
surgery operation
tablet pill
dose dosage
chance likelihood probability
aim purpose objective
method approach technique
type kind sort
place location
amount quantity
error mistake
problem issue
trouble difficulty
task job
folder directory
image picture
floor ground
tip hint
beginner novice newcomer
teacher instructor
student learner
everyone everybody
relative relatives kin
painkiller analgesic
checkup
various diverse
extra additional
sufficient enough adequate
suitable appropriate
accurate precise
nowadays today
construct assemble
mean signify denote
miss skip
differ vary
copy duplicate replica
close shut
act behave
react respond
stretch extend
shake tremble
answer reply
real actual
different distinct
other another
new fresh
short brief
sore painful
certain particular specific
hazard danger
area region zone
part portion
series sequence
middle center
pain ache
belly abdomen
bowel intestine gut
womb uterus
vision sight eyesight
setting configuration
option choice
path route
stable steady
idea concept notion
drawing diagram
assignment homework
slightly somewhat
greatly considerably substantially
nonetheless nevertheless
only solely exclusively merely
disappear vanish
seek sought
application app
user operator
programmer developer
beneath underneath
opposite contrary
absent missing
damp moist
tired weary
afraid scared
worried anxious
weak feeble
hurry rush
odor smell
finally eventually
recently lately
overall altogether
worldwide globally
quietly silently
gripping grasping
"""

# Turns of more than one word: those before the colon say what stands behind it.
# A "~" behind a verb stands for its regular and irregular forms.
TURNS = """
for this reason, for that reason, this is why, that is why, which is why, therefore, consequently, thus, hence, accordingly, as a consequence: , so
the reason for this is that, the reason for that is that, the reason is that, this is because, that is because: , because
due to, owing to, on account of: because of
for example, for instance: *
in other words, that is to say, namely, in fact, indeed, actually, note that, please note that, remember that, keep in mind that, it should be noted that: *
additionally, furthermore, moreover, in addition, as well, likewise, what is more, on top of that: also
among other things, and so on, among others: *
in spite of: despite
even though, despite the fact that: although
in order to, so as to: to
as well as: and
together with, along with: together with
rather than, in place of: instead of
prior to, ahead of: before
subsequent to: after
in the course of, over the course of: during
by means of: through
inside of, inside: in
onto, upon: on
in case, in the event that, provided that, providing that, provided, on condition that: if
or else, if not: otherwise
no one: nobody
two times: twice
at no time: never
at the same time, in parallel: simultaneously
right away, at once, without delay, straight away, with no delay: immediately
from time to time, now and then, at times, every now and then, on occasion: sometimes
in most cases, as a rule, most of the time, in general: usually
in many cases, many times: often
in some cases: sometimes
in rare cases: rarely
in particular: especially
a lot of, lots of, a large number of, numerous, a great many: many
no fewer than, no less than, a minimum of: at least
no more than, a maximum of: at most
every day, each day, on a daily basis: daily
every week, each week: weekly
every month, each month: monthly
every year, each year, annually: yearly
once daily, once per day: once a day
twice daily, twice per day: twice a day
per cent: percent
degrees celsius: \u00b0C
degrees fahrenheit: \u00b0F
difficult to, tough to: hard to
is able to, are able to: can
is unable to, are unable to, is not able to, are not able to: cannot
lead~ to, result~ in, bring~ about, give~ rise to: cause
go~ on, carry~ on, keep~ on: continue
carry~ out: perform
speed~ up: accelerate
slow~ down: slow
add~ up, build~ up, pile~ up: accumulate
throw~ away: discard
make~ sure: ensure
find~ out: determine
take~ part: participate
look~ after, take~ care of, care~ for: care for
get~ rid of: remove
put~ off: postpone
deal~ with, cope~ with: handle
turn~ off, switch~ off: switch off
turn~ on, switch~ on: switch on
shut~ down: shut down
come~ back, go~ back: return
take~ place, come~ about: occur
get~ in touch with: contact
talk~ to, talk~ with, speak~ to, speak~ with: consult
suffer~ from: have
stay~ away from, steer~ clear of, keep~ away from: avoid
make~ use of: use
rely~ on: depend on
get~ worse, grow~ worse, become~ worse: worsen
get~ better, become~ better: improve
is suitable for, are suitable for, is well suited to, are well suited to, is suited to, are suited to: suits
is equal to, are equal to: equals
known as, referred to as, termed: called
has the same effect: does the same
shortness of breath: breathlessness
throw~ up: vomit
high blood pressure: hypertension
low blood pressure: hypotension
radiation therapy, radiation treatment: radiotherapy
chemo: chemotherapy
adverse effect, unwanted effect: side effect
adverse effects, unwanted effects: side effects
pain reliever, pain medicine: painkiller
pain relievers, pain medicines: painkillers
family member: relative
family members: relatives
follow up: follow-up
check up, check-up: checkup
check ups, check-ups: checkups
health care: healthcare
in such a way that: so that
make~ up for, compensate~ for: compensate
up to date: current
a part of: part of
one single: single
all of the, all the, all of: all
most of the: most of
is listed among, are listed among, is named among, are named among, is counted among, are counted among, is listed as one of, is named as one of, is among, are among: is one of
is given as an example of, are given as examples of, is named as an example of, is an example of, are examples of, is one of the examples given of, is one example of: is one of the examples of
for the first time: first
by hand: manually
by itself, on its own, by themselves, on their own: alone
a second time, once more: again
at all times, all the time: always
at the start, at the beginning, initially: at first
a little, a bit: slightly
is made up of, are made up of, is composed of, are composed of, comprises: consists of
is located in, are located in, lies in, lie in, sits in: is in
rests on, is built on: is based on
serves to, is meant to, is intended to: is used to
has an effect on, have an effect on, has an influence on: affect
do~ damage to, cause~ damage to, do~ harm to, cause~ harm to: damage
make~ a decision, come~ to a decision: decide
stand~ for: mean
go~ up: increase
go~ down, come~ down: fall
go~ away, clear~ up: disappear
look~ for, search~ for: seek
look~ like: resemble
set~ off: trigger
cut~ back on, cut~ down on, bring~ down: reduce
show~ up, turn~ up: appear
write~ down, note~ down: record
rule~ out: exclude
take~ out, take~ away: remove
ask~ for: request
talk~ about, speak~ about: discuss
pass~ urine: urinate
wake~ up: wake
start~ up: start
is named, is termed: is called
are named, are termed: are called
loss of weight, losing weight: weight loss
loss of hair, losing hair: hair loss
emergency room: emergency department
health professional, healthcare professional, healthcare provider, healthcare worker, medical professional: health worker
health professionals, healthcare professionals, healthcare providers, healthcare workers, medical professionals: health workers
blood count results: blood counts
whole of: all of
in advance, beforehand: before
"""

# Forms of verbs in the turns above that are not made by an ending.
IRREGULAR = {
    "lead": "leads led leading",
    "bring": "brings brought bringing",
    "give": "gives gave given giving",
    "go": "goes went gone going",
    "keep": "keeps kept keeping",
    "speed": "speeds sped speeding",
    "build": "builds built building",
    "throw": "throws threw thrown throwing",
    "make": "makes made making",
    "find": "finds found finding",
    "take": "takes took taken taking",
    "get": "gets got gotten getting",
    "put": "puts putting",
    "deal": "deals dealt dealing",
    "shut": "shuts shutting",
    "come": "comes came coming",
    "speak": "speaks spoke spoken speaking",
    "become": "becomes became becoming",
    "grow": "grows grew grown growing",
    "carry": "carries carried carrying",
    "do": "does did doing",
    "stand": "stands stood standing",
    "set": "sets setting",
    "cut": "cuts cutting",
    "show": "shows showed shown showing",
    "write": "writes wrote written writing",
    "wake": "wakes woke woken waking",
    "rely": "relies relied relying",
}

# Turns before certain words only: pattern, what stands for it.
BEFORE = (
    (r"(can|may|might|could|will|should|must|are) all", r"\1"),
    (
        r"once (the|a|an|it|they|you|all|this|these|your|its)",
        r"after \1",
    ),
)
