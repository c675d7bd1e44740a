import type { OrderStatus } from '../../contract/orders/orders.ts';
import { Icon } from './layout/icon.tsx';

const steps = ['ordered', 'paid', 'shipped'] as const;
const completedSteps: Record<OrderStatus, number> = { '': 1, expired: 1, paid: 2, sipping: 3 };

type Props = { status: OrderStatus; refund?: string | undefined };

/**
 * An order's progress as a train of three wheels, each meshing with the next; completed steps are brass. The page must
 * also render `OrderTrainShapes`. If a refund has ended the order, `refund` is shown instead of the name of its last step.
 */
export function OrderTrain({ status, refund }: Props) {
  const completed = completedSteps[status];
  return (
    <span className="inline-block text-sm text-ink">
      <svg className="block h-9 w-25 max-w-full overflow-visible" aria-hidden="true">
        <use href={`#train-${completed}`} />
      </svg>
      {!refund && <span className="sr-only">{`Step ${completed} of 3: `}</span>}
      <span>{refund ?? steps[completed - 1]}</span>
    </span>
  );
}

/** The wheels, drawn once per page: a long list of orders would otherwise repeat them in every row. */
export function OrderTrainShapes() {
  return (
    <svg className="hidden" aria-hidden="true">
      {steps.map((step, last) => (
        <symbol
          key={step}
          id={`train-${last + 1}`}
          viewBox="0 0 100 36"
          fill="none"
          className="overflow-visible"
        >
          {steps.map((wheel, index) => (
            <Wheel key={wheel} x={18 + index * 31} isOffset={index % 2 === 1} isCompleted={index <= last} />
          ))}
        </symbol>
      ))}
    </svg>
  );
}
/** The teeth are a dashed ring of 16 strokes; every second wheel is offset by half a tooth so that they mesh. */
function Wheel({ x, isOffset, isCompleted }: { x: number; isOffset: boolean; isCompleted: boolean }) {
  const tooth = (2 * Math.PI * 14.5) / 32;
  return (
    <g className={isCompleted ? 'stroke-brass' : 'stroke-edge'} strokeWidth="1.5">
      <circle
        cx={x}
        cy="18"
        r="14.5"
        strokeWidth="3"
        strokeDasharray={tooth.toFixed(3)}
        strokeDashoffset={isOffset ? tooth.toFixed(3) : 0}
      />
      <circle cx={x} cy="18" r="12.5" className={isCompleted ? 'fill-brass/20' : ''} />
      <circle cx={x} cy="18" r="3" className={isCompleted ? 'fill-brass' : ''} />
    </g>
  );
}

const wheelTeeth = 18;
const [rootRadius, tipRadius] = [27, 34];
/** The distance between two wheels: the teeth of one almost touch the body of the other. */
const wheelDistance = 62;

/** The outline of a wheel with a tooth at its right. */
function drawTeeth(): string {
  const pitch = (2 * Math.PI) / wheelTeeth;
  const corners = Array.from({ length: wheelTeeth }, (_, tooth) =>
    [
      [rootRadius, -0.32],
      [tipRadius, -0.16],
      [tipRadius, 0.16],
      [rootRadius, 0.32],
    ].map(([radius = 0, part = 0]) => {
      const angle = (tooth + part) * pitch;
      return `${(radius * Math.cos(angle)).toFixed(1)} ${(radius * Math.sin(angle)).toFixed(1)}`;
    }),
  );
  return `M${corners.flat().join('L')}z`;
}
const teeth = drawTeeth();
const arms = [0, 90, 180, 270];

type StepsProps = {
  status: OrderStatus;
  /** The step to take now. */
  next?: (typeof steps)[number];
  /** The order counts as ordered only once it is paid. */
  isReserved?: boolean;
};

/** An order's progress, larger: the train of three wheels with the name of each step below its wheel. */
export function OrderSteps({ status, next, isReserved = false }: StepsProps) {
  const completed = completedSteps[status];
  return (
    <div className="mb-6 w-46 max-w-full">
      <svg
        viewBox="0 0 198 70"
        fill="none"
        strokeWidth="1.6"
        strokeLinejoin="round"
        aria-hidden="true"
        className="mx-auto block w-41 max-w-full"
      >
        <defs>
          <path id="teeth" d={teeth} />
          <path id="arm" d="M-1.8-6.8v-15.1M1.8-6.8v-15.1" />
        </defs>
        {steps.map((step, index) => (
          <g
            key={step}
            transform={`translate(${37 + index * wheelDistance} 35)`}
            className={index < completed || step === next ? 'stroke-brass' : 'stroke-edge'}
          >
            {/* Every second wheel is turned by half a tooth, so that the teeth mesh. */}
            <use
              href="#teeth"
              transform={`rotate(${index % 2 === 0 ? 0 : 180 / wheelTeeth})`}
              className={index < completed ? 'fill-brass/20' : ''}
            />
            <circle r="22" className={index < completed ? 'fill-paper' : ''} />
            <circle r="7" className={index < completed ? 'fill-brass/20' : ''} />
            <circle r="2.2" className={index < completed ? 'fill-brass' : ''} />
            {arms.map((angle) => (
              <use key={angle} href="#arm" transform={`rotate(${angle + 45})`} />
            ))}
          </g>
        ))}
      </svg>
      <ol aria-label="Progress" className="mt-1 flex flex-wrap text-center text-xs">
        {steps.map((step, index) => (
          <li
            key={step}
            aria-current={step === next ? 'step' : undefined}
            className={`min-w-fit grow basis-0 ${step === next ? 'font-medium text-brass' : index < completed ? '' : 'text-soft'}`}
          >
            {index < completed && <Icon name="done" className="mr-1 text-verdigris" />}
            {isReserved && index === 0 ? 'reserved' : step}
            {index < completed && <span className="sr-only">, done</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}
