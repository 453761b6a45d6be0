"""The words that the embedded benchmark is generated from: a clinic's thirty conditions."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CONDITIONS", "Condition"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: its id, its everyday name, and phrases for its leaflets."""

    name: str
    plain: str
    signs: tuple[str, ...]
    causes: tuple[str, ...]
    care: tuple[str, ...]


# name = plain name; signs / causes / care. The first one is the answer to two queries in five,
# the others follow in falling order.
_TABLE = """
hypertension = high blood pressure; throbbing headache, dizziness, pounding heart, blurred vision,
 nosebleeds, ringing ears, flushed face, short breath / salty food, stress at work, family history,
 extra weight, too little exercise / a tablet every morning, less salt, a home cuff, daily walks
diabetes = high blood sugar; constant thirst, frequent urination, tiredness, blurred vision,
 cuts that heal slowly, tingling feet / extra weight, family history, sugary drinks /
 finger-prick tests, insulin, regular meals
migraine = one-sided headache; throbbing headache, flashing lights, nausea, light that hurts /
 skipped meals, red wine, poor sleep / a dark room, an early painkiller, a diary
asthma = narrow airways; wheezing, night cough, tight chest, short breath / pollen, cold air,
 cats, dust / a blue inhaler, a spacer, a written plan
anaemia = low iron; tiredness, pale skin, pounding heart, dizziness, brittle nails / heavy periods,
 a meatless diet, slow bleeding / iron tablets, red meat, orange juice
reflux = acid coming up; burning chest, sour taste, night cough, hoarse voice / late suppers,
 coffee, extra weight / a raised bed head, smaller portions, an acid blocker
hypothyroidism = slow thyroid; tiredness, feeling cold, weight gain, dry skin, hoarse voice /
 an immune attack, too little iodine / thyroxine, a yearly blood test
osteoarthritis = worn joints; stiff knees, creaking joints, swollen fingers, aching hips /
 old injuries, heavy labour, extra weight / swimming, a cane, a warm bath
sinusitis = blocked sinuses; face pressure, stuffy nose, dull headache, lost smell / a cold,
 crooked septum, swimming pools / salt-water rinses, steam, nasal spray
bronchitis = chest cold; rattling cough, yellow phlegm, tight chest, mild fever / a virus,
 cigarette smoke, city air / hot drinks, rest, honey
pneumonia = lung infection; high fever, rattling cough, stabbing chest, short breath, shivering /
 bacteria, a bad flu, old age / antibiotics, fluids, a chest picture
hay-fever = pollen allergy; sneezing, itchy eyes, stuffy nose, watery eyes / grass, birch trees,
 mould / antihistamines, closed windows, eye drops
cystitis = bladder infection; burning urination, frequent urination, cloudy urine,
 low belly ache / bacteria, holding on too long, new partner / plenty of water, cranberry juice
gout = crystals in a joint; swollen toe, red hot joint, night pain / beer, shellfish,
 water tablets / ice packs, cherries, allopurinol
sciatica = trapped leg nerve; shooting leg pain, numb calf, back ache, tingling feet /
 a slipped disc, lifting, long drives / gentle stretching, heat, time
vertigo = spinning dizziness; spinning room, dizziness, nausea, unsteady walk / loose ear crystals,
 a virus, turning in bed / head turning exercises, slow movements
eczema = itchy dry skin; itchy elbows, dry skin, cracked hands, red patches / soap, wool, worry /
 greasy ointment, short showers, cotton gloves
psoriasis = scaly skin; silvery scales, red patches, pitted nails, itchy scalp / family history,
 sore throat, worry / vitamin cream, sunlight, coal tar
shingles = nerve rash; burning stripe, blisters, itchy band, mild fever / old chickenpox, old age,
 weak defences / antiviral pills, cool cloths, vaccine
gallstones = stones in the gall bladder; belly cramps, nausea, yellow eyes, shoulder blade ache /
 fatty meals, fast dieting, pregnancy / keyhole surgery, a light diet
kidney-stones = stones in the kidney; stabbing flank, bloody urine, nausea, restless pacing /
 too little water, salty food, spinach / strong painkillers, sieving, lemon juice
ulcer = sore in the stomach; gnawing belly, black stools, sour taste, early fullness / painkillers,
 stomach bacteria, cigarette smoke / acid blocker, antibiotics, no aspirin
insomnia = poor sleep; lying awake, early waking, tiredness, short temper / screens, coffee,
 worry / fixed bedtimes, no naps, a dull book
sleep-apnoea = breathing pauses at night; loud snoring, dull headache, daytime sleepiness,
 dry mouth / extra weight, wine, thick neck / an air mask, side sleeping
tinnitus = noise in the ear; ringing ears, hissing sound, muffled hearing / loud concerts, ear wax,
 machines / soft background sound, wax drops, patience
glaucoma = pressure in the eye; tunnel sight, halos round lamps, red eye, dull headache /
 family history, steroids, old age / pressure drops, laser
cataract = cloudy lens; blurred vision, dazzling headlights, faded colours / old age, sunlight,
 steroids / a new lens, better lamps
conjunctivitis = pink eye; red eye, sticky lashes, gritty feeling, watery eyes / a virus,
 contact lenses, chlorine / boiled water, clean towels
carpal-tunnel = squeezed wrist nerve; numb fingers, tingling thumb, weak grip, night pain / typing,
 knitting, pregnancy / a night splint, injection
hyperthyroidism = racing thyroid; pounding heart, weight loss, trembling hands, sweating /
 an immune attack, too much iodine / carbimazole, beta blockers
"""


def _parse(record: str) -> Condition:
    name, rest = record.split(" = ")
    plain, rest = rest.split("; ")
    signs, causes, care = (tuple(part.strip().split(", ")) for part in rest.split(" / "))
    return Condition(name, plain, signs, causes, care)


# A record that goes on does so on a line that begins with a blank.
_RECORDS = _TABLE.replace("\n ", " ").strip().split("\n")
CONDITIONS: tuple[Condition, ...] = tuple(_parse(record) for record in _RECORDS)
