"""Everyday words that say the same, as data: what a paraphrase may exchange.

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
stay remain
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
if when whenever
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
