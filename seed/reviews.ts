/** A demo review by a fictional customer. */
type SeedReview = {
  name: string;
  /** The slug of the tool that it is about. */
  tool: string;
  rating: 1 | 2 | 3 | 4 | 5;
  text: string;
  /** The name of its files in `seed/images/`. */
  image: string;
};

/** Oldest first. */
export const reviews: SeedReview[] = [
  {
    name: 'Anselm Brandt',
    tool: 'mainspring-winder',
    rating: 5,
    text: 'I have wound springs by hand for longer than I should admit. The winder held a 19 mm eight-day spring without a twitch, and the click drops into every tooth. The lug fits my old vice with room to spare.',
    image: 'portrait-elder',
  },
  {
    name: 'Dilys Pugh',
    tool: 'let-down-keys',
    rating: 4,
    text: 'The let-down keys are well made and the handle slips through the palm just as the description says. One star off because the 3 mm socket was tight on my carriage clock until I eased it with a stone.',
    image: 'portrait-bun',
  },
  {
    name: 'Frank Okafor',
    tool: 'pivot-burnisher',
    rating: 2,
    text: 'The pivot file is good. The burnisher came with grinding marks you can feel with a nail and needed an hour on emery before I would let it near a pivot. It works now, but for the price I expected it dressed.',
    image: 'pivot-burnisher',
  },
  {
    name: 'Samira Haddad',
    tool: 'depthing-tool',
    rating: 5,
    text: 'Bought the depthing tool for a regulator with a replaced third wheel. Runners are true to each other, I checked with an indicator. The scribed arc landed where the maker had drilled in 1790, which was reassuring.',
    image: 'portrait-headscarf',
  },
  {
    name: 'Walter Nye',
    tool: 'movement-stand',
    rating: 3,
    text: 'The movement stand is solid and the clamps hold, but the base is too short for my longcase plates once the weights are on. Right for mantel movements. Measure yours before you order.',
    image: 'portrait-cap',
  },
  {
    name: 'Théo Lambert',
    tool: 'screwdriver-set',
    rating: 5,
    text: 'First set of tools of my own. The hollow-ground blades fill the slot, and I have not slipped on a plate since. The drawing shows it better than I can say it.',
    image: 'portrait-curly',
  },
  {
    name: 'Mei Tanaka',
    tool: 'oiler-stand',
    rating: 4,
    text: 'Oilers arrived with tips straight and clean, and the stand is heavy enough not to tip over. I would have liked a cover for the oil cup instead of only the step for one.',
    image: 'portrait-bob',
  },
  {
    name: 'Harjit Singh Gill',
    tool: 'bushing-set',
    rating: 5,
    text: 'Bushed eleven holes in a French drum movement over a weekend. The reamers cut clean and round, number II most of all, and the bushings press in without shaving. The palm handle is kind to the wrist.',
    image: 'portrait-turban',
  },
  {
    name: 'Rosa Iglesias',
    tool: 'hand-puller',
    rating: 4,
    text: 'The puller lifted a rusted minute hand that two other tools had only marked, and left the dial alone. The knob is small for cold fingers, otherwise I have no complaint.',
    image: 'hand-puller',
  },
  {
    name: 'Ingrid Solberg',
    tool: 'pegwood',
    rating: 5,
    text: 'Ordered thirty pegwood sticks and a star key for a class of beginners. The wood is straight and sharpens to a needle. The sizes on the key are in plain millimetres, which ended a long argument about numbers.',
    image: 'portrait-plait',
  },
  {
    name: 'Colm Devlin',
    tool: 'parallel-pliers',
    rating: 5,
    text: 'Parallel pliers with jaws that really are smooth. I straightened a bent suspension spring and pulled a row of taper pins with no mark on the brass. Mine open to 12 mm exactly, as stated.',
    image: 'parallel-pliers',
  },
  {
    name: 'Agnes Whitlock',
    tool: 'eyeglass-loupe',
    rating: 4,
    text: 'Four times is enough for nearly everything on a clock, and this loupe stays put in the eye. Mine steamed up a little in the first week; a small hole drilled in the shell cured it.',
    image: 'eyeglass-loupe',
  },
];
