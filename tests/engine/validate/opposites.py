"""Words that a paraphrase must not exchange: opposites, neighbours, kinds, degrees.

Written apart from the words that the validators do exchange (engine/validate): none of
these pairs may ever count as saying the same.
"""

_OPPOSITES = """
    increase decrease; increases decreases; increased decreased; raise lower; raises
    lowers; higher lower; high low; more less; more fewer; before after; above below;
    early late; earlier later; first last; left right; benign malignant; normal
    abnormal; common uncommon; common rare; often rarely; frequent rare; always never;
    usually rarely; start stop; starts stops; begin end; begins ends; before during;
    open closed; inside outside; in outside; into out of; upper lower; front back;
    forward backward; fast slow; quickly slowly; faster slower; large small; larger
    smaller; big small; long short; longer shorter; hot cold; warm cool; wet dry; soft
    hard; strong weak; stronger weaker; strengthen weaken; easy difficult; easier
    harder; safe dangerous; safe unsafe; useful useless; helpful harmful; help harm;
    helps harms; improve worsen; improves worsens; better worse; best worst; good bad;
    gain lose; win lose; add remove; adds removes; include exclude; includes excludes;
    accept reject; accepts rejects; accepted rejected; allow prevent; allows prevents;
    allow forbid; cause prevent; causes prevents; cause cure; causes cures; treat cause;
    kills feeds; block activate; blocks activates; push pull; send receive; sends
    receives; publish subscribe; publisher subscriber; server client; request response;
    input output; encode decode; read write; reads writes; load unload; create delete;
    creates deletes; known unknown; possible impossible; able unable; likely unlikely;
    certain uncertain; necessary unnecessary; needed unneeded; visible invisible;
    complete incomplete; complete partial; full empty; whole partial; temporary
    permanent; acute chronic; mild severe; sudden gradual; local distant; local global;
    public private; static dynamic; static moving; fixed variable; real simulated; real
    virtual; manual automatic; active passive; active inactive; alive dead; young old;
    male female; women men; woman man; man woman; day night; rest exercise; sleep wake;
    eat fast; hungry full; positive negative; plus minus; maximum minimum; at least at
    most; at least less than; more than less than; over under; up down; north south;
    with without; for against; same different; similar different; equal unequal; alone
    together; together separately; succeed fail; succeeds fails; success failure; pass
    fail; passes fails; agree disagree; agreed refused; connected disconnected; attach
    detach; enable disable; enabled disabled; expensive cheap; thick thin; deep
    shallow; wide narrow; near far; tight loose; clean dirty; clear unclear; approved
    banned; recommended discouraged; recommend discourage; advised forbidden; prescribed
    forbidden; encourage discourage; follow precede; follows precedes; rising falling;
    rises falls; rise fall; grow shrink; grows shrinks; spread shrink; return leave;
    arrive leave; enter leave; appear disappear; appears disappears; remember forget;
    protect endanger; protects endangers; relieve cause; relieve worsen; ease worsen;
    ease aggravate; reduce increase; reduces increases; delay hasten; shorten lengthen;
    shorten prolong; expand contract; heal hurt; hide show; hides shows; keep lose;
    keeps loses; continue stop; continues stops; call avoid; take avoid; use avoid;
    drink avoid; true false; right wrong; correct wrong; healthy cancerous; healthy sick
"""
_KINDS = """
    nausea,vomiting,diarrhea,constipation,fatigue,fever,pain,rash,anemia,bleeding,
        headache,dizziness,cough
    chemotherapy,radiation therapy,immunotherapy,hormone therapy,surgery,
        targeted therapy
    paclitaxel,docetaxel,doxorubicin,cisplatin,vincristine,capecitabine,fluorouracil,
        tamoxifen,letrozole,filgrastim,ondansetron,warfarin,ibuprofen,paracetamol
    breast,lung,colon,prostate,skin,liver,bladder,kidney,bone,brain,thyroid,cervical
    doctor,nurse,pharmacist,dentist,surgeon,caregiver,social worker
    doctors,nurses,pharmacists,dentists,surgeons,caregivers,patients
    hands,feet,eyes,ears,arms,legs,nails
    red blood cells,white blood cells,platelets,neutrophils
    seconds,minutes,hours,days,weeks,months,years
    hour,day,week,month,year
    morning,evening,night
    children,adults,women,men
    tablet,injection,infusion,capsule,cream
    tablets,injections,infusions,capsules,creams
    biopsy,mammogram,colonoscopy,x-ray,blood test,ct,mri
    topic,service,action,parameter
    topics,services,actions,parameters
    publisher,subscriber,server,client,node,executor
    lidar,camera,imu,gyroscope,accelerometer,magnetometer,encoder
    roll,pitch,yaw
    position,velocity,acceleration,torque,force
    mass,friction,inertia,damping
    joint,link,wheel,sensor,motor
    joints,links,wheels,sensors,motors
    gazebo,rviz,moveit,nav2,rosbag2
    x,y,z
    rgb,depth,infrared
    proportional,integral,derivative
    message,request,response,goal,feedback,result
    messages,requests,responses,goals
    file,folder,package,workspace,launch file
    stomach,throat,mouth,chest,bowel,belly
    meat,fish,milk,fruit,bread
    benefit,risk,cost
    benefits,risks,costs
    symptom,diagnosis,cause
    symptoms,causes,results
    screening,diagnosis,treatment,prevention,follow-up
    size,shape,color,position
    build,install,log,source
    student,tutor,teacher
    students,tutors,teachers
    mean,median,maximum,minimum
    mg,mcg,ml,g
"""
_HYPERNYMS = """
    nausea,side effects; vomiting,symptoms; fever,symptoms; fever,illness;
    diarrhea,bowel problems; pain,symptoms; chemotherapy,treatment;
    chemotherapy,medicine; radiation therapy,treatment; surgery,treatment;
    immunotherapy,treatment; breast cancer,cancer; lung cancer,cancer; cancer,disease;
    cancer,illness; tumor,cancer; tamoxifen,hormone therapy; paclitaxel,chemotherapy;
    ibuprofen,painkillers; opioids,painkillers; opioid painkillers,painkillers;
    warfarin,blood thinners; antiemetics,medicines; tablets,medicines;
    oncologist,doctor; nurse,doctor; care team,doctor; nurse,care team;
    dentist,doctor; women,people; men,people; children,people; adults,people;
    caregivers,people; older adults,adults; platelets,blood cells;
    white blood cells,blood cells; red blood cells,blood cells; neutrophils,cells;
    cancer cells,cells; hands,limbs; biopsy,test; blood test,test; mammogram,test;
    camera,sensor; lidar,sensor; imu,sensor; cameras,sensors; gyroscope,sensor;
    topic,interface; service,interface; action,interface; robot,machine;
    humanoid,robot; humanoid robots,robots; walking robots,robots; publisher,node;
    subscriber,node; server,node; node,program; executor,program; joint,part;
    motor,actuator; gripper,hand; arm,robot; wheel,part; package,folder;
    workspace,folder; urdf,file; launch file,file; world file,file; gazebo,simulator;
    simulator,program; exercise,activity; walking,exercise; alcohol,drinks;
    fruit,food; herbs,supplements; smoking,tobacco; infection,problem;
    bleeding,problem; pneumonia,infection; hospital,building; water,fluids;
    weakness,symptoms; worry,feelings; gravity,force; velocity,motion
"""
_SCALES = """
    may,can,should,must,will,might
    always,usually,often,sometimes,rarely,never
    all,most,many,several,some,few,no
    every,some,no
    each,some
    everyone,someone,nobody
    must,need not,may
    likely,possible,certain
    probably,possibly,certainly
    common,possible,rare
    recommended,required,allowed,optional
    recommend,require,allow
    helps,cures,prevents
    help,cure,prevent
    reduce,prevent,stop
    reduces,prevents,stops
    lowers,removes
    lower,remove
    shows,proves,suggests
    show,prove,suggest
    mild,moderate,severe
    slightly,strongly,completely
    a little,much,very
    nearly,exactly,about
    about,at least,at most
    up to,at least,exactly
    immediately,soon,later
    at once,within a week,later
    hourly,daily,weekly,monthly
    once,twice,three times
    once,sometimes
    short,long,permanent
    low,moderate,high
    rarely,commonly
    one,two,three
    first,second,third
    half,third,quarter
    only,also,mainly
    mainly,only
    partly,fully
    sometimes,always
    good,better,best
    more,most
    larger,largest
    higher,highest
    if,even if,unless
    when,even when,unless
    can,cannot
    is,is not
    are,are not
    should,should not
    may,may not
    does not,does
    do not,always
"""


def _rows(text: str, between: str, inside: str) -> tuple[tuple[str, ...], ...]:
    flat = (
        " ".join(text.split()) if between == ";" else text.replace(",\n        ", ",")
    )
    rows = (row.strip() for row in flat.split(between))
    return tuple(
        tuple(word.strip() for word in row.split(inside)) for row in rows if row
    )


def _opposites() -> tuple[tuple[str, str], ...]:
    longer = {
        "out of",
        "at least",
        "at most",
        "less than",
        "more than",
    }
    found = []
    for (row,) in _rows(_OPPOSITES, ";", "\0"):
        words = row.split()
        if len(words) > 2:
            cut = 2 if " ".join(words[:2]) in longer else 1
            words = [" ".join(words[:cut]), " ".join(words[cut:])]
        found.append((words[0], words[1]))
    return tuple(found)


OPPOSITES = _opposites()
KINDS = _rows(_KINDS, "\n", ",")
SCALES = _rows(_SCALES, "\n", ",")
HYPERNYMS = tuple((row[0], row[1]) for row in _rows(_HYPERNYMS, ";", ","))
