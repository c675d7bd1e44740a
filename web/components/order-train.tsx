import type { OrderStatus } from '../../contract/orders/orders.ts';

const steps = ['ordered', 'paid', 'shipped'];
const completedSteps: Record<OrderStatus, number> = { '': 1, expired: 1, paid: 2, sipping: 3 };

type Props = { status: OrderStatus; refund?: string | undefined };

/**
 * An order's progress as a train of three wheels, each meshing with the next; completed steps are brass. The page must
 * also render `OrderTrainShapes`. If a refund has ended the order, `refund` is shown instead of the name of its last step.
 */
export function OrderTrain({ status, refund }: Props) {
  const completed = completedSteps[status];
  return (
    <span className="inline-block text-xs text-soft">
      <svg className="block h-9 w-25 overflow-visible" aria-hidden="true">
        <use href={`#train-${completed}`} />
      </svg>
      {!refund && <span className="sr-only">{`Step ${completed} of 3: `}</span>}
      {refund ?? steps[completed - 1]}
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
