"""Turns of more than one word that say the same as a word, as data.

Written from general knowledge of plain English and reviewed like synonyms.py: a turn
and what stands for it may be exchanged in both directions, in every sentence.
"""

# Those before the colon say what stands behind it, "*" stands for nothing at all. A "~"
# behind a verb stands for its regular and irregular forms.
TURNS = """
for this reason, for that reason, this is why, that is why, which is why, therefore,
    consequently, thus, hence, accordingly, as a consequence: , so
the reason for this is that, the reason for that is that, the reason is that, this
    is because, that is because: , because
due to, owing to, on account of: because of
for example, for instance: *
in other words, that is to say, namely, in fact, indeed, actually, note that, please
    note that, remember that, keep in mind that, it should be noted that: *
additionally, furthermore, moreover, in addition, as well, likewise, what is more,
    on top of that: also
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
onto, upon: on
in case, in the event that, provided that, providing that, provided, on condition
    that: if
or else, if not: otherwise
no one: nobody
two times: twice
at no time: never
at the same time, in parallel: simultaneously
right away, at once, without delay, straight away, with no delay: immediately
from time to time, now and then, at times, every now and then, on occasion:
    sometimes
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
is suitable for, are suitable for, is well suited to, are well suited to, is suited
    to, are suited to: suits
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
is listed among, are listed among, is named among, are named among, is counted
    among, are counted among, is listed as one of, is named as one of, is among, are
    among: is one of
is given as an example of, are given as examples of, is named as an example of, is
    an example of, are examples of, is one of the examples given of, is one example
    of: is one of the examples of
for the first time: first
by hand: manually
by itself, on its own, by themselves, on their own: alone
a second time, once more: again
at all times, all the time: always
at the start, at the beginning, initially: at first
a little, a bit: slightly
is made up of, are made up of, is composed of, are composed of, comprises: consists
    of
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
health professional, healthcare professional, healthcare provider, healthcare
    worker, medical professional: health worker
health professionals, healthcare professionals, healthcare providers, healthcare
    workers, medical professionals: health workers
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
    (r"inside (the|a|an|your|its|one|each) ", r"in \1 "),
    (
        r"once (the|a|an|it|they|you|all|this|these|your|its)",
        r"after \1",
    ),
)
