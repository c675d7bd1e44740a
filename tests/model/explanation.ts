import type { Action, Outcome, PerformedAction, State, Step } from './rules.ts';
import * as rules from './rules.ts';

/** Steps in order; those of other threads may come in between. */
type Thread = Step[];

/**
 * Searches for an interleaving of concurrent actions that explains their outcomes and leads to a state that `matches`
 * the shop's. Returns that state, or undefined if no interleaving explains what the shop did.
 */
export function findExplanation(
  before: State,
  performed: PerformedAction[],
  matches: (state: State) => boolean,
): State | undefined {
  const touched = new Set(performed.flatMap(({ action }) => listTouchedOrders(action, before)));
  const threads = performed.flatMap(({ action, outcome }) => listThreads(action, outcome, before, touched));
  const visited = new Set<string>();

  function search(state: State, at: number[]): State | undefined {
    if (at.every((step, index) => step === threads[index]?.length)) return matches(state) ? state : undefined;
    const key = JSON.stringify([at, state]);
    if (visited.has(key)) return undefined;
    visited.add(key);
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

function listThreads(action: Action, outcome: Outcome, before: State, touched: Set<string>): Thread[] {
  switch (action.type) {
    case 'order':
      return [[rules.placeOrder(action, outcome)]];
    case 'open':
      return [[rules.renewHold(action.order), rules.openPayment(action.order, outcome)]];
    case 'confirm':
      return [[rules.confirmIntent(action, outcome)]];
    case 'report paid':
      return [[rules.reportPaid(action, outcome)]];
    case 'event':
      return [[rules.settlePayment(action.intent)]];
    case 'delete':
      return [[rules.cancelPayment(action.order, false), rules.deleteOrder(action.order, outcome)]];
    case 'end hold':
      return [[rules.endHold(action.order)]];
    case 'ship':
      return [[rules.shipOrder(action, outcome)]];
    case 'promote':
      return [[rules.setRole(action.person, true, outcome)]];
    case 'demote':
      return [[rules.setRole(action.person, false, outcome)]];
    case 'delete product':
      return [[rules.deleteProduct(action.product, outcome)]];
    case 'periodic work':
      return Object.entries(before.orders)
        .filter(([id, { status, overdue, intent }]) => {
          const due = status === '' && (overdue || (intent && before.intents[intent] === 'paid'));
          return due || touched.has(id);
        })
        .flatMap(([id, { intent }]) => [
          ...(intent ? [[rules.settlePayment(intent)]] : []),
          [rules.cancelPayment(id, true), rules.expireOrder(id)],
        ]);
  }
}

/** Orders that an action may change. */
function listTouchedOrders(action: Action, { orders }: State): string[] {
  if ('order' in action) return [action.order];
  if (!('intent' in action)) return [];
  return Object.keys(orders).filter((id) => orders[id]?.intent === action.intent);
}
