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
import { drawPinViseSet } from './pin-vise-set.ts';
import { drawPivotBurnisher } from './pivot-burnisher.ts';
import { drawRivetingHammer } from './riveting-hammer.ts';
import { drawScrewdriverSet } from './screwdriver-set.ts';
import { drawSmoothingBroaches } from './smoothing-broaches.ts';
import { drawStarKey } from './star-key.ts';
import { drawTruingCallipers } from './truing-callipers.ts';
import { drawTweezers } from './tweezers.ts';

export const plates: Readonly<Record<string, () => string>> = {
  'mainspring-winder': drawMainspringWinder,
  'screwdriver-set': drawScrewdriverSet,
  'depthing-tool': drawDepthingTool,
  'let-down-keys': drawLetDownKeys,
  'hand-puller': drawHandPuller,
  'movement-stand': drawMovementStand,
  'pivot-burnisher': drawPivotBurnisher,
  'oiler-stand': drawOilerStand,
  'mainspring-clamps': drawMainspringClamps,
  tweezers: drawTweezers,
  'pin-vise-set': drawPinViseSet,
  'bushing-set': drawBushingSet,
  'parallel-pliers': drawParallelPliers,
  'truing-callipers': drawTruingCallipers,
  'smoothing-broaches': drawSmoothingBroaches,
  'star-key': drawStarKey,
  'riveting-hammer': drawRivetingHammer,
  'eyeglass-loupe': drawEyeglassLoupe,
};
