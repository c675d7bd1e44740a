import { useCallback, useEffect, useRef, useState } from 'react';
import type { Basket } from '../../../contract/orders/purchases.ts';
import { isSignedOut } from '../../client/api/api-errors.ts';
import { ApiError } from '../../client/api/client.ts';
import { getErrorMessage } from '../../client/api/error-message.ts';
import { basketKey, setBasketLines, showBasketLines } from '../../client/basket-quantities.ts';
import { getSession } from '../../client/session.ts';
import { parseQuantity } from '../purchase/order.ts';

const saveDelayMs = 400;

/** Calls `reload` when this window is used again or another one has changed the basket. */
function watchForChanges(reload: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  addEventListener('storage', ({ key }) => key === basketKey && reload(), { signal });
  addEventListener('focus', reload, { signal });
  return () => stop.abort();
}

/** A typed quantity that is not saved yet. */
type Edit = { text: string; timer?: ReturnType<typeof setTimeout> };

/**
 * The basket while its page is open. Saves quantities shortly after they are typed, one call at a time; the shop's
 * response always replaces what is shown. `signIn` is called if the session has ended.
 */
export function useBasket(loaded: Basket, signIn: () => Promise<void>) {
  const [basket, setBasket] = useState(loaded);
  const [edits, setEdits] = useState<ReadonlyMap<string, Edit>>(new Map());
  const [messages, setMessages] = useState<ReadonlyMap<string, string>>(new Map());
  const current = useRef({ basket: loaded, edits });
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  const accept = useCallback((next: Basket) => {
    current.current.basket = next;
    setBasket(next);
    showBasketLines(next.lines);
  }, []);

  const changeEdits = useCallback((change: (edits: Map<string, Edit>) => void) => {
    const next = new Map(current.current.edits);
    change(next);
    current.current.edits = next;
    setEdits(next);
  }, []);

  /** Runs after all earlier calls, so that the last response is the newest. */
  const enqueue = useCallback(<Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = queue.current.then(run);
    queue.current = result.catch(() => undefined);
    return result;
  }, []);

  const reload = useCallback(
    () => enqueue(async () => accept(await getSession().client.call('getBasket', {}))),
    [enqueue, accept],
  );

  const setMessage = (id: string, message?: string) =>
    setMessages(
      (all) => new Map([...all].filter(([other]) => other !== id).concat(message ? [[id, message]] : [])),
    );

  /** Sends a change of a line. Resolves to false if it failed; the line then says why. */
  async function send(id: string, request: () => Promise<Basket>): Promise<boolean> {
    clearTimeout(current.current.edits.get(id)?.timer);
    const sent = current.current.edits.get(id)?.text;
    const dropEdit = () =>
      changeEdits((next) => {
        // Keep what has been typed in the meantime.
        if (next.get(id)?.text === sent) next.delete(id);
      });
    try {
      const changed = await enqueue(request);
      accept(changed);
      setBasketLines(changed.lines);
      dropEdit();
      setMessage(id);
      return true;
    } catch (error) {
      if (isSignedOut(error)) {
        await signIn();
        return false;
      }
      setMessage(id, getErrorMessage(error));
      const status = error instanceof ApiError ? error.problem.status : 0;
      // The shop has rejected the change: show the basket as it is. After other failures, and after a 412 once the user is signed
      // in again, a retry may still save the input.
      if (status >= 400 && status < 500 && status !== 412) {
        dropEdit();
        await reload().catch(() => undefined);
      }
      return false;
    }
  }

  const save = (id: string, quantity: number) =>
    send(id, () => getSession().client.call('setBasketLine', { params: { id }, body: { quantity } }));

  const remove = (id: string) =>
    send(id, async () => {
      await getSession()
        .client.call('removeBasketLine', { params: { id } })
        .catch((error: unknown) => {
          // Another window may have removed the line already.
          if (!(error instanceof ApiError) || error.problem.status !== 404) throw error;
        });
      return getSession().client.call('getBasket', {});
    });

  /** The quantity that was typed into a line, if the product's range allows it. */
  function parseEdit(id: string): number | undefined {
    const line = current.current.basket.lines.find(({ product }) => product._id === id);
    const { o_quantity, a_quantity } = line?.product ?? {};
    if (o_quantity === undefined || a_quantity === undefined) return undefined;
    return parseQuantity({ o_quantity, a_quantity }, current.current.edits.get(id)?.text);
  }

  const saveEdit = (id: string) => {
    const quantity = parseEdit(id);
    return quantity === undefined ? Promise.resolve(false) : save(id, quantity);
  };

  function edit(id: string, text: string): void {
    clearTimeout(current.current.edits.get(id)?.timer);
    const timer = setTimeout(saveEdit, saveDelayMs, id);
    changeEdits((next) => next.set(id, { text, timer }));
  }

  /** Saves all edits. Resolves to false if one could not be saved. */
  async function saveEdits(): Promise<boolean> {
    // A line that another window has removed may still have an edit.
    const ids = current.current.basket.lines
      .map(({ product }) => product._id)
      .filter((id) => current.current.edits.has(id));
    const saved = await Promise.all(ids.map(saveEdit));
    await queue.current;
    return saved.every(Boolean);
  }

  const latest = useRef({ saveEdits, isPaused: false });
  latest.current.saveEdits = saveEdits;
  // Leaving the page saves the last quantity, too.
  useEffect(() => () => void latest.current.saveEdits(), []);
  // Regaining the connection saves quantities that could not be sent.
  useEffect(() => {
    const saveAgain = () => void (latest.current.isPaused || latest.current.saveEdits());
    addEventListener('online', saveAgain);
    return () => removeEventListener('online', saveAgain);
  }, []);

  useEffect(
    () =>
      watchForChanges(() => {
        if (!latest.current.isPaused) void reload().catch(() => undefined);
      }),
    [reload],
  );
  useEffect(() => accept(loaded), [loaded, accept]);

  return {
    basket,
    edits,
    messages,
    edit,
    save,
    saveEdit,
    remove,
    saveEdits,
    reload,
    /** The latest basket, for event handlers: `basket` is as old as the last render. */
    read: () => current.current.basket,
    /** Ignores other windows while an order is being placed or its outcome is unknown. */
    pause(isPaused: boolean) {
      latest.current.isPaused = isPaused;
    },
  };
}
