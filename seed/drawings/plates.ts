import { drawBushingSet } from './bushing-set.ts';
import { drawDepthingTool } from './depthing-tool.ts';
import { drawEyeglassLoupe } from './eyeglass-loupe.ts';
import { drawHandPuller } from './hand-puller.ts';
import { drawLetDownKeys } from './let-down-keys.ts';
import { drawMainspringClamps } from './mainspring-clamps.ts';
import { drawMainspringWinder } from './mainspring-winder.ts';
import { drawMovementStand } from './movement-stand.ts';
import { drawOilerStand } from './oiler-stand.ts';
import { drawParallelPliers } from './parallel-pliers.ts';
import { drawPegwood } from './pegwood.ts';
import { drawPinViseSet } from './pin-vise-set.ts';
import { drawPivotBurnisher } from './pivot-burnisher.ts';
import { portraits } from './portraits.ts';
import { drawRivetingHammer } from './riveting-hammer.ts';
import { drawScrewdriverSet } from './screwdriver-set.ts';
import { drawSmoothingBroaches } from './smoothing-broaches.ts';
import { drawStarKey } from './star-key.ts';
import { drawTruingCallipers } from './truing-callipers.ts';
import { drawTweezers } from './tweezers.ts';

export const tools = {
  'mainspring-winder': drawMainspringWinder,
  'depthing-tool': drawDepthingTool,
  'star-key': drawStarKey,
  'let-down-keys': drawLetDownKeys,
  'screwdriver-set': drawScrewdriverSet,
  'bushing-set': drawBushingSet,
  'movement-stand': drawMovementStand,
  'hand-puller': drawHandPuller,
  'oiler-stand': drawOilerStand,
  'pivot-burnisher': drawPivotBurnisher,
  'truing-callipers': drawTruingCallipers,
  'mainspring-clamps': drawMainspringClamps,
  'parallel-pliers': drawParallelPliers,
  tweezers: drawTweezers,
  'pin-vise-set': drawPinViseSet,
  'smoothing-broaches': drawSmoothingBroaches,
  'riveting-hammer': drawRivetingHammer,
  'eyeglass-loupe': drawEyeglassLoupe,
  pegwood: drawPegwood,
} satisfies Record<string, () => string>;

/** The functions that draw the demo images as SVG, by name. */
export const plates = { ...tools, ...portraits };
export type PlateName = keyof typeof plates;
