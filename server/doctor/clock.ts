import type { Report } from './report.ts';

/** In seconds. Stripe's library refuses an event that was signed longer ago: https://docs.stripe.com/webhooks. */
const tolerance = 300;
/** Half a minute is more than any network needs, and less than does harm. */
const remarkable = 30;

/** This machine's clock beside all that were seen. */
export function examineClock(report: Report): void {
  const [worst] = report.clocks.toSorted((a, b) => Math.abs(b.ahead) - Math.abs(a.ahead));
  if (!worst) {
    report.ok('Clock: nobody was asked whose clock could be compared.');
    return;
  }
  const seconds = Math.round(Math.abs(worst.ahead) / 1000);
  const say = `Clock: this machine is ${seconds} seconds ${worst.ahead > 0 ? 'behind' : 'ahead of'} ${worst.whose}`;
  const todo = 'Let the machine set its clock by the network: timedatectl set-ntp true.';
  if (seconds >= tolerance)
    report.wrong(`${say}: events of payments are refused beyond ${tolerance} seconds.`, todo);
  else if (seconds >= remarkable) report.look(`${say}.`, todo);
  else report.ok(`Clock: as of ${report.clocks.map(({ whose }) => whose).join(', ')}.`);
}
