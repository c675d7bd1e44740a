import { useEffect, useRef } from 'react';
import type { Overview } from '../../../../../contract/admin/overview.ts';
import { createMoney } from '../../../../../contract/money.ts';
import { formatDay } from '../../../../components/moment.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { useSettings } from '../../../../shop.tsx';

/** The revenue of each day as a chart, which needs scripts, and as a table. */
export function RevenueChart({ days, currency }: Pick<Overview, 'days' | 'currency'>) {
  const settings = useSettings();
  const money = createMoney(settings);
  const canvas = useRef<HTMLCanvasElement>(null);
  // A string, because most refreshes change nothing, and a new chart would close the tooltip.
  const bars = JSON.stringify(days.map(({ date, revenue }) => ({ label: shortDay(date), amount: revenue })));
  useEffect(() => {
    // Effects run only in the browser. This keeps the chart's library out of the server's build.
    if (import.meta.env.SSR) return;
    let removeChart: (() => void) | undefined;
    let isOver = false;
    void import('./draw-chart.ts')
      .then(({ drawChart }) => {
        if (isOver || !canvas.current) return;
        const format = (amount: number) => createMoney(settings).table(amount, currency);
        removeChart = drawChart(canvas.current, { bars: JSON.parse(bars), format });
      })
      // The table below shows the same data.
      .catch(() => {});
    return () => {
      isOver = true;
      removeChart?.();
    };
  }, [bars, currency, settings]);
  const best = days.reduce((best, day) => (day.revenue > best.revenue ? day : best));
  return (
    <>
      <div className="border-b border-rule text-soft noscript:hidden">
        <canvas
          ref={canvas}
          width={700}
          height={280}
          role="img"
          aria-label={`Revenue over the last ${days.length} days. The highest was ${money.table(best.revenue, currency)} on ${formatDay(best.date)}. The table below has all days.`}
          className="h-auto w-full border-rule text-brass"
        />
      </div>
      <details className="mt-3">
        <summary className="link link-alone text-sm">Revenue per day as a table</summary>
        <div className="mt-3">
          <Table
            caption="Revenue, orders and refunds per day, latest first"
            columns={['Day', 'Revenue', 'Orders', 'Refunds']}
            numbers={['Revenue', 'Orders', 'Refunds']}
          >
            {days.toReversed().map(({ date, revenue, orders, refunded }) => (
              <tr key={date}>
                <Cell label="Day">{formatDay(date)}</Cell>
                <Cell label="Revenue" number>
                  {money.table(revenue, currency)}
                </Cell>
                <Cell label="Orders" number>
                  {orders}
                </Cell>
                <Cell label="Refunds" number>
                  {money.table(refunded, currency)}
                </Cell>
              </tr>
            ))}
          </Table>
        </div>
      </details>
    </>
  );
}

/** `21 Nov`. */
const shortDay = (date: string): string => formatDay(date).slice(0, 6);
