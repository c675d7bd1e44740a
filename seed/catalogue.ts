/** A demo product. Its image shows measurements, which the description repeats. */
type CatalogueEntry = {
  slug: string;
  name: string;
  category: string;
  /** Unit price in US cents. */
  price: number;
  /** Minimum order quantity and quantity in stock. */
  minimum: number;
  available: number;
  description: string;
  /** Lines such as `Height: 62 mm`, taken from the description. */
  facts: string[];
  /** The name of its files in `seed/images/`. */
  image: string;
};

/** The names of a tool's further images: part of it, enlarged, and the tool in use. */
export const listFurtherImages = (image: string): string[] => [`${image}-detail`, `${image}-in-use`];

/** In display order; the first three appear on the home page. */
export const catalogue: CatalogueEntry[] = [
  {
    slug: 'mainspring-winder',
    name: 'Mainspring winder',
    category: 'Mainsprings and winding',
    price: 16800,
    minimum: 1,
    available: 12,
    description:
      'Winds a clock mainspring out of its barrel and back in without letting it fly. Steel bed 200 mm long with a lug below it for the bench vice, cranked handle with a beech grip, and a brass ratchet with a click that holds the spring whenever you let go. Takes loop-end and hole-end springs up to 25 mm high. The arbor turns in both posts, so the pull stays square to the coil. Wear eye protection and gloves.',
    facts: [
      'Bed: steel, 200 mm long',
      'Springs: loop-end and hole-end',
      'Spring height: up to 25 mm',
      'Ratchet: brass, with a click',
      'Grip: beech',
    ],
    image: 'mainspring-winder',
  },
  {
    slug: 'depthing-tool',
    name: 'Depthing tool',
    category: 'Measuring and truing',
    price: 28500,
    minimum: 1,
    available: 5,
    description:
      'Sets a wheel and its pinion in mesh before a hole is drilled, so you find the right distance by feel. Two hinged brass frames, 150 mm over the runners and 85 mm deep, with four hardened steel runners: turned to a point at one end to scribe the plate, and centred at the other for the pivots. A knurled screw sets the distance from 5 to 50 mm and holds it.',
    facts: [
      'Over the runners: 150 mm',
      'Depth: 85 mm',
      'Distance: 5 to 50 mm',
      'Frames: hinged, brass',
      'Runners: four, hardened steel',
    ],
    image: 'depthing-tool',
  },
  {
    slug: 'star-key',
    name: 'Five-armed star key',
    category: 'Mainsprings and winding',
    price: 940,
    minimum: 1,
    available: 240,
    description:
      'Five winding keys in one brass star, for trying a clock that has come in without its own. Square sockets of 3, 3.5, 4, 4.5 and 5 mm, each marked on its arm in millimetres. 70 mm high, cast in one piece, with broached sockets. The four arms that are not in use give the grip, and are enough to wind most eight-day mantel and wall clocks.',
    facts: ['Height: 70 mm', 'Square sockets: 3, 3.5, 4, 4.5 and 5 mm', 'Material: brass, cast in one piece'],
    image: 'star-key',
  },
  {
    slug: 'let-down-keys',
    name: 'Let-down keys, set of seven',
    category: 'Mainsprings and winding',
    price: 5400,
    minimum: 1,
    available: 31,
    description:
      'Releases the tension of a wound mainspring slowly and safely, under the palm, before the plates are parted. Turned beech handle with a knurled steel chuck, 130 mm long, and seven keys with brass bodies for winding squares of 3 to 6 mm in steps of half a millimetre. The handle is round on purpose: it slips through the hand as the click is held back, and never whips.',
    facts: [
      'Handle: beech, 130 mm long',
      'Chuck: knurled steel',
      'Keys: seven, with brass bodies',
      'Winding squares: 3 to 6 mm',
      'Steps: half a millimetre',
    ],
    image: 'let-down-keys',
  },
  {
    slug: 'screwdriver-set',
    name: 'Screwdrivers, hollow-ground, set of five',
    category: 'Screws, hands and pins',
    price: 6250,
    minimum: 1,
    available: 44,
    description:
      'Five clock screwdrivers whose blades are hollow-ground, so the edge fills the slot and does not climb out. Blades of 1.5, 2, 2.5, 3 and 4 mm in hardened tool steel, which can be reground. Knurled steel handles with a swivelling head for the forefinger and a brass ring; the longest is 110 mm. For plate screws, bridges and dial feet.',
    facts: [
      'Blades: 1.5, 2, 2.5, 3 and 4 mm',
      'Blade steel: hardened tool steel',
      'Handles: knurled steel',
      'Longest: 110 mm',
    ],
    image: 'screwdriver-set',
  },
  {
    slug: 'bushing-set',
    name: 'Bushing set with reamers',
    category: 'Pivots and bushings',
    price: 11900,
    minimum: 1,
    available: 9,
    description:
      'For closing a worn pivot hole by hand: open the plate with a reamer, press in a bushing, broach to fit. Five taper-lead reamers marked I to V, finishing holes of 2, 2.7, 3.5, 4.5 and 6 mm, in a beech block 90 mm long, with a palm handle that takes them all. Forty brass bushings come with it, eight for each reamer, every one with its oil sink turned.',
    facts: [
      'Reamers: five, marked I to V',
      'Finishing holes: 2, 2.7, 3.5, 4.5 and 6 mm',
      'Bushings: forty, brass',
      'Block: beech, 90 mm long',
    ],
    image: 'bushing-set',
  },
  {
    slug: 'movement-stand',
    name: 'Adjustable movement stand',
    category: 'Holding and gripping',
    price: 8900,
    minimum: 1,
    available: 17,
    description:
      'Holds a movement upright with both sides open, to watch it run on test before it goes back in its case. Slotted steel base 250 mm long, two posts that slide along it, and four clamps with knurled screws that can be set at any height up to 150 mm. Takes plates 60 to 160 mm wide. Stands 165 mm high; put it at the edge of the bench if the pendulum is longer than that.',
    facts: [
      'Base: slotted steel, 250 mm long',
      'Height: 165 mm',
      'Plates: 60 to 160 mm wide',
      'Clamps: four, up to 150 mm high',
    ],
    image: 'movement-stand',
  },
  {
    slug: 'hand-puller',
    name: 'Hand and collet puller',
    category: 'Screws, hands and pins',
    price: 2650,
    minimum: 1,
    available: 58,
    description:
      'Removes clock hands without a lever on the dial: takes a tight hand or collet straight off its arbor. Two steel claws pivot in a brass yoke and hook under the boss; the centre screw bears on the arbor and lifts. 62 mm high with the screw raised, opening to 28 mm inside the claws. The tip of the screw is turned down to 3 mm so that it enters the pipe of a minute hand.',
    facts: [
      'Height, screw raised: 62 mm',
      'Opening inside the claws: 28 mm',
      'Screw tip: 3 mm',
      'Claws: steel',
      'Yoke: brass',
    ],
    image: 'hand-puller',
  },
  {
    slug: 'oiler-stand',
    name: 'Oilers on a stand, set of four',
    category: 'Oiling and cleaning',
    price: 3980,
    minimum: 1,
    available: 36,
    description:
      'Four dip oilers for clock movements, from very fine to broad, hung tips down in a brass rack so that they stay clean. Each is 88 mm long with a fluted handle and a spade tip that carries one measured drop to the sink. The steel base is 98 mm across and the stand 115 mm high. With it comes a lidless brass oil cup of 42 mm with a step for a cover glass. Oil is not included.',
    facts: [
      'Oilers: four, 88 mm long',
      'Stand: 115 mm high',
      'Base: steel, 98 mm across',
      'Oil cup: brass, 42 mm',
      'Oil: not included',
    ],
    image: 'oiler-stand',
  },
  {
    slug: 'pivot-burnisher',
    name: 'Pivot file and burnisher, pair',
    category: 'Pivots and bushings',
    price: 4700,
    minimum: 1,
    available: 22,
    description:
      'A fine file to true a scored pivot and a burnisher to harden and polish it, cut to the same section. Hardened steel, 190 mm long in the handle, the flat 10 mm wide and 3 mm thick with its corners left square for the shoulder of the pivot. Dress the burnisher across on fine emery before use, and work with oil. Beech handles with brass ferrules.',
    facts: [
      'Length in the handle: 190 mm',
      'Flat: 10 mm wide, 3 mm thick',
      'Material: hardened steel',
      'Handles: beech, with brass ferrules',
    ],
    image: 'pivot-burnisher',
  },
  {
    slug: 'truing-callipers',
    name: 'Truing callipers, figure of eight',
    category: 'Measuring and truing',
    price: 3350,
    minimum: 1,
    available: 14,
    description:
      'Holds a balance by its pivots between two screws, so that you see at once where the rim wobbles or runs out of true. Steel limbs crossed in a figure of eight, 90 mm high: squeeze the lower bow and the jaws open. Takes balances up to 35 mm across, as in platform escapements. The screws end in polished centres; set them with only just enough shake.',
    facts: ['Height: 90 mm', 'Balances: up to 35 mm across', 'Limbs: steel', 'Screw ends: polished centres'],
    image: 'truing-callipers',
  },
  {
    slug: 'mainspring-clamps',
    name: 'Mainspring clamps, set of three',
    category: 'Mainsprings and winding',
    price: 720,
    minimum: 2,
    available: 1,
    description:
      'Steel rings, open at one side, that keep a wound mainspring closed while the wheel is lifted out. Bent from round bar and smoothed where they touch the coil. One each of 55, 33 and 21 mm outside, in wire of 5, 4 and 3 mm. Sold from two sets, since a striking clock has two springs and a chiming one has three. Never use one that has been opened by force.',
    facts: ['Outside: 55, 33 and 21 mm', 'Wire: 5, 4 and 3 mm', 'Material: steel'],
    image: 'mainspring-clamps',
  },
  {
    slug: 'parallel-pliers',
    name: 'Parallel pliers, smooth jaws',
    category: 'Holding and gripping',
    price: 3825,
    minimum: 1,
    available: 27,
    description:
      'Pliers whose jaws stay parallel as they open, so they hold a taper pin or a flat along its whole length. Pressed steel handles, 140 mm long overall, on two pins and a riveted joint; the jaws are hardened and ground smooth and leave no teeth marks on brass. Open to 12 mm. For taper pins, suspension springs and the straightening of clicks and levers.',
    facts: [
      'Length: 140 mm',
      'Opening: up to 12 mm',
      'Jaws: hardened and ground smooth',
      'Handles: pressed steel',
    ],
    image: 'parallel-pliers',
  },
  {
    slug: 'tweezers',
    name: 'Tweezers, strong points',
    category: 'Holding and gripping',
    price: 1480,
    minimum: 1,
    available: 96,
    description:
      'Stout tweezers for clock work: strong enough to lift a wheel and fine enough to pick up a taper pin. Non-magnetic stainless steel, 130 mm long and 11 mm at the widest, with cross grooves where the fingers hold. The points meet flat over the last 6 mm and can be dressed on a stone. Not hardened for cutting: do not prise with them.',
    facts: [
      'Length: 130 mm',
      'Width: 11 mm at the widest',
      'Points: flat over the last 6 mm',
      'Material: non-magnetic stainless steel',
    ],
    image: 'tweezers',
  },
  {
    slug: 'pin-vise-set',
    name: 'Pin vises, set of four',
    category: 'Holding and gripping',
    price: 3290,
    minimum: 1,
    available: 63,
    description:
      'Four hand-held chucks that hold wire, broaches and small drill bits, and together close on anything up to 3.2 mm. Ranges 0 to 1, 0.8 to 1.5, 1.5 to 2.3 and 2.3 to 3.2 mm; lengths from 68 to 95 mm. Knurled steel bodies, hollow right through for long wire, with split jaws closed by a fluted nut and a brass ring at the tail.',
    facts: [
      'Ranges: 0 to 1, 0.8 to 1.5, 1.5 to 2.3 and 2.3 to 3.2 mm',
      'Lengths: from 68 to 95 mm',
      'Bodies: knurled steel, hollow',
      'Jaws: split',
    ],
    image: 'pin-vise-set',
  },
  {
    slug: 'smoothing-broaches',
    name: 'Smoothing broaches, set of six',
    category: 'Pivots and bushings',
    price: 4150,
    minimum: 1,
    available: 19,
    description:
      'Round tapered broaches without an edge, to harden and polish a pivot hole after the cutting broach. Six in hardened steel, in beech handles with brass ferrules; the smallest is 95 mm long in its handle and tapers from 1.8 to 0.7 mm, the largest from 5 to 2 mm. Use with a drop of oil, from both sides of the plate in turn.',
    facts: [
      'Smallest: 1.8 to 0.7 mm, 95 mm long in its handle',
      'Largest: 5 to 2 mm',
      'Material: hardened steel',
      'Handles: beech, with brass ferrules',
    ],
    image: 'smoothing-broaches',
  },
  {
    slug: 'riveting-hammer',
    name: 'Riveting hammer, brass head',
    category: 'Screws, hands and pins',
    price: 2780,
    minimum: 1,
    available: 41,
    description:
      'A light hammer that marks steel less than steel does, for setting bushings, pins and tight collets. Solid brass head 77 mm long with one flat face of 19 mm and one cross peen, about 110 g, wedged on an ash handle that stands 200 mm clear of it. The handle is thinned behind the head to give a little, as a riveting hammer should. The faces can be filed clean.',
    facts: [
      'Head: solid brass, 77 mm long',
      'Weight of the head: about 110 g',
      'Flat face: 19 mm',
      'Handle: ash, 200 mm clear of the head',
    ],
    image: 'riveting-hammer',
  },
  {
    slug: 'eyeglass-loupe',
    name: 'Eyeglass loupe, 4×',
    category: 'Measuring and truing',
    price: 1250,
    minimum: 1,
    available: 120,
    description:
      'A watchmaker’s magnifying eyeglass of four times, the strength to do clock pivots and escapements with all day. Moulded black shell, 34 mm across the eye and 26 mm deep, with a glass lens in a fluted brass ring that screws out for cleaning. Working distance about 60 mm, so the tool fits under it. Worn in the eye, or on a wire over the head.',
    facts: [
      'Magnification: 4×',
      'Across the eye: 34 mm',
      'Depth: 26 mm',
      'Working distance: about 60 mm',
      'Lens: glass, in a brass ring',
    ],
    image: 'eyeglass-loupe',
  },
  {
    slug: 'pegwood',
    name: 'Pegwood stick',
    category: 'Oiling and cleaning',
    price: 85,
    minimum: 10,
    available: 180,
    description:
      'A stick of close-grained hardwood, cut to a point and turned in a pivot hole until it comes out clean. 150 mm long and 5 mm thick, straight in the grain so that it sharpens with a knife and sheds no fibres. Sold in tens: one movement uses up three or four. Point it anew for every hole; the last clean point is the proof.',
    facts: ['Length: 150 mm', 'Thickness: 5 mm', 'Wood: close-grained hardwood'],
    image: 'pegwood',
  },
];
