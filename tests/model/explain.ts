import type { Act, Done, Saw, State, Step } from './rules.ts';
import * as rules from './rules.ts';

/** What one after another does; between its steps others may come. */
type Thread = Step[];

/**
 * The state behind acts that were done at once: of all orders in which their steps may have happened, one that
 * gives the answers that were seen and ends as the shop `looks`. Undefined where none does: then the shop did
 * what no order of the acts explains.
 */
export function explain(before: State, done: Done[], looks: (state: State) => boolean): State | undefined {
  const touched = new Set(done.flatMap(({ act }) => touchedBy(act, before)));
  const threads = done.flatMap(({ act, saw }) => threadsOf(act, saw, before, touched));
  const tried = new Set<string>();

  function search(state: State, at: number[]): State | undefined {
    if (at.every((step, index) => step === threads[index]?.length)) return looks(state) ? state : undefined;
    const key = JSON.stringify([at, state]);
    if (tried.has(key)) return undefined;
    tried.add(key);
    for (const [index, thread] of threads.entries()) {
      const next = thread[at[index] ?? 0]?.(state);
      const found = next && search(next, at.with(index, (at[index] ?? 0) + 1));
      if (found) return found;
    }
    return undefined;
  }
  return search(
    before,
    threads.map(() => 0),
  );
}

function threadsOf(act: Act, saw: Saw, before: State, touched: Set<string>): Thread[] {
  switch (act.do) {
    case 'order':
      return [[rules.place(act, saw)]];
    case 'open':
      return [[rules.retake(act.order), rules.open(act.order, saw)]];
    case 'confirm':
      return [[rules.confirm(act, saw)]];
    case 'tell':
      return [[rules.tell(act, saw)]];
    case 'event':
      return [[rules.settle(act.intent)]];
    case 'delete':
      return [[rules.cancel(act.order, false), rules.remove(act.order, saw)]];
    case 'end hold':
      return [[rules.endHold(act.order)]];
    case 'ship':
      return [[rules.ship(act, saw)]];
    case 'promote':
      return [[rules.setRole(act.person, true, saw)]];
    case 'demote':
      return [[rules.setRole(act.person, false, saw)]];
    case 'remove product':
      return [[rules.removeProduct(act.product, saw)]];
    case 'look':
      return Object.entries(before.orders)
        .filter(([id, { status, overdue, intent }]) => {
          const due = status === '' && (overdue || (intent && before.intents[intent] === 'paid'));
          return due || touched.has(id);
        })
        .flatMap(([id, { intent }]) => [
          ...(intent ? [[rules.settle(intent)]] : []),
          [rules.cancel(id, true), rules.expire(id)],
        ]);
  }
}

/** The orders that an act may change. */
function touchedBy(act: Act, { orders }: State): string[] {
  if ('order' in act) return [act.order];
  if (!('intent' in act)) return [];
  return Object.keys(orders).filter((id) => orders[id]?.intent === act.intent);
}
