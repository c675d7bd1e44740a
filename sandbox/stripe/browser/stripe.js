/**
 * The script in the shop's page: the part of `window.Stripe` that @stripe/stripe-js, @stripe/react-stripe-js and the card
 * element need. The card input and all API calls are in a frame of the stand-in's origin; this script receives only
 * states and results. It sets styles through `element.style` only, so the page may forbid inline styles.
 */
(() => {
  const base = new URL('.', /** @type {HTMLScriptElement} */ (document.currentScript).src);

  /**
   * Creates a frame and its message channel; accepts messages from that window and origin only.
   * @param {string} page @param {string} title @param {(message: any) => void} onMessage
   */
  function openFrame(page, title, onMessage) {
    const iframe = document.createElement('iframe');
    iframe.src = new URL(`${page}#${encodeURIComponent(location.origin)}`, base).href;
    iframe.title = title;
    // Browsers give a frame an opaque background if its colour scheme differs from the page's.
    Object.assign(iframe.style, { border: '0', display: 'block', width: '100%', colorScheme: 'light' });
    /** @type {object[]} */
    const queue = [];
    /** @type {Map<number, (result: any) => void>} */
    const calls = new Map();
    let open = false;
    let count = 0;

    /** @param {object} message */
    function post(message) {
      if (open) iframe.contentWindow?.postMessage(message, base.origin);
      else queue.push(message);
    }
    /** @param {MessageEvent} event */
    function listen({ source, origin, data }) {
      if (!source || source !== iframe.contentWindow || origin !== base.origin) return;
      if (data.kind === 'result') {
        calls.get(data.id)?.(data.result);
        calls.delete(data.id);
        return;
      }
      if (data.kind === 'hello') open = true;
      onMessage(data);
      if (data.kind === 'hello') for (const message of queue.splice(0)) post(message);
    }
    addEventListener('message', listen);
    return {
      iframe,
      post,
      /** @param {string} name @param {object} params @returns {Promise<any>} */
      call(name, params) {
        count += 1;
        const id = count;
        post({ kind: 'call', id, name, params });
        return new Promise((resolve) => calls.set(id, resolve));
      },
      remove() {
        removeEventListener('message', listen);
        iframe.remove();
        const error = {
          type: 'api_error',
          message: 'The card element was removed before the response arrived.',
        };
        for (const resolve of calls.values()) resolve({ error });
      },
    };
  }

  const classNames = Object.fromEntries(
    ['base', 'complete', 'empty', 'focus', 'invalid'].map((state) => [
      state,
      state === 'base' ? 'StripeElement' : `StripeElement--${state}`,
    ]),
  );
  /** The frame of each element. @type {WeakMap<object, () => ReturnType<typeof openFrame>>} */
  const frames = new WeakMap();

  /** @param {any} options @param {object} shared @param {() => void} release */
  function createCard(options, shared, release) {
    /** @type {Map<string, Set<(event?: any) => void>>} */
    const listeners = new Map();
    /** @type {HTMLElement | null} */
    let container = null;
    /** @type {ReturnType<typeof openFrame> | null} */
    let frame = null;

    /** @param {string} name @param {any} [event] */
    function emit(name, event) {
      for (const listener of [...(listeners.get(name) ?? [])]) listener(event);
    }
    /** @param {Record<string, boolean>} states */
    function setClasses(states) {
      for (const [state, on] of Object.entries(states)) {
        const name = options.classes?.[state] ?? classNames[state];
        if (name) container?.classList.toggle(name, on);
      }
    }
    /** Submits the page's form, as Enter in one of its own fields would. */
    function submitForm() {
      const form = container?.closest('form');
      const button = form?.querySelector('button:not([type]), button[type=submit], input[type=submit]');
      if (button instanceof HTMLElement) button.click();
      else form?.requestSubmit();
    }
    /** @param {any} message */
    function handleMessage(message) {
      const { kind } = message;
      if (kind === 'hello') frame?.post({ kind: 'options', options: plain({ ...shared, ...options }) });
      if (kind === 'height' && frame) frame.iframe.style.height = `${message.height}px`;
      if (kind === 'submit') submitForm();
      if (kind === 'focus' || kind === 'blur') setClasses({ focus: kind === 'focus' });
      if (kind === 'change') {
        const { empty, complete, error } = message.change;
        setClasses({ empty, complete, invalid: Boolean(error) });
        emit('change', message.change);
      }
      if (['ready', 'focus', 'blur', 'escape'].includes(kind)) emit(kind, { elementType: 'card' });
    }
    /** @param {MouseEvent} event */
    function followLabel(event) {
      const label = event.target instanceof Element ? event.target.closest('label') : null;
      if (container?.id && label?.htmlFor === container.id) element.focus();
    }

    const element = {
      /** @param {string | HTMLElement} selector */
      mount(selector) {
        const target = typeof selector === 'string' ? document.querySelector(selector) : selector;
        if (!(target instanceof HTMLElement))
          throw new Error('The selector you specified applies to no element.');
        if (container === target) return element;
        element.unmount();
        container = target;
        frame = openFrame('card.html', 'Secure card payment input frame', handleMessage);
        frame.iframe.style.height = '26px';
        frame.iframe.allow = 'payment *';
        container.replaceChildren(frame.iframe);
        setClasses({ base: true, empty: true });
        document.addEventListener('click', followLabel);
        return element;
      },
      unmount() {
        setClasses({ base: false, empty: false, complete: false, focus: false, invalid: false });
        document.removeEventListener('click', followLabel);
        frame?.remove();
        frame = container = null;
      },
      destroy() {
        element.unmount();
        listeners.clear();
        release();
      },
      /** @param {object} changed */
      update(changed) {
        Object.assign(options, changed);
        frame?.post({ kind: 'update', options: plain(changed) });
      },
      /** @param {string} name @param {(event?: any) => void} listener */
      on(name, listener) {
        listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
        return element;
      },
      /** @param {string} name @param {(event?: any) => void} [listener] */
      off(name, listener) {
        if (listener) listeners.get(name)?.delete(listener);
        else listeners.delete(name);
        return element;
      },
      /** @param {string} name @param {(event?: any) => void} listener */
      once(name, listener) {
        /** @param {any} event */
        const first = (event) => {
          element.off(name, first);
          listener(event);
        };
        return element.on(name, first);
      },
      focus: () => frame?.post({ kind: 'focus' }),
      blur: () => frame?.post({ kind: 'blur' }),
      clear: () => frame?.post({ kind: 'clear' }),
    };
    frames.set(element, () => {
      if (frame) return frame;
      throw new Error('We could not retrieve data from the specified Element: is it mounted?');
    });
    return element;
  }

  /** Options may hold functions, which cannot be posted. @param {object} options */
  const plain = (options) => JSON.parse(JSON.stringify(options));

  /** @param {any} shared */
  function createElements(shared = {}) {
    /** @type {ReturnType<typeof createCard> | null} */
    let card = null;
    return {
      /** @param {string} type */
      create(type, options = {}) {
        if (type !== 'card') throw new Error(`The Stripe stand-in has only the card element, not ${type}.`);
        if (card) throw new Error('Can only create one Element of type card through an elements instance.');
        card = createCard({ ...options }, { fonts: shared.fonts }, () => {
          card = null;
        });
        return card;
      },
      /** @param {any} type */
      getElement: (type) => ((type?.__elementType ?? type) === 'card' ? card : null),
      /** @param {object} changed */
      update: (changed) => Object.assign(shared, changed),
      fetchUpdates: async () => ({}),
      submit: async () => ({}),
    };
  }

  /** Shows the authentication in a modal dialog; Escape fails it. @param {string} key @param {string} clientSecret */
  function authenticate(key, clientSecret) {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-label', '3D Secure authentication');
    Object.assign(dialog.style, { width: 'min(400px, 100vw)', maxWidth: '100vw', boxSizing: 'border-box' });
    Object.assign(dialog.style, {
      margin: 'auto',
      padding: '0',
      border: '2px solid #1f2328',
      background: '#fff',
    });
    return new Promise((resolve) => {
      const frame = openFrame('authenticate.html', '3D Secure authentication', (message) => {
        if (message.kind === 'hello') frame.post({ kind: 'start', key, clientSecret });
        if (message.kind !== 'finished') return;
        dialog.close();
        dialog.remove();
        frame.remove();
        resolve(message.result);
      });
      frame.iframe.style.height = 'min(320px, 90vh)';
      dialog.addEventListener('cancel', (event) => {
        event.preventDefault();
        frame.post({ kind: 'fail' });
      });
      dialog.append(frame.iframe);
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  /** @param {string} key */
  function openStripe(key) {
    if (!/^pk_/.test(key)) throw new Error('Invalid publishable key: it starts with pk_.');
    /** @param {string} call @param {string} secret */
    function checkSecret(call, secret) {
      if (/^pi_[^_]+_secret_[^_]+$/.test(secret)) return;
      throw new Error(
        `Invalid value for stripe.${call} intent secret: it has the form \${id}_secret_\${secret}.`,
      );
    }
    const stripe = {
      /** @param {object} [options] */
      elements: (options) => createElements({ ...options }),
      /** @param {string} clientSecret @param {any} data */
      async confirmCardPayment(clientSecret, data) {
        checkSecret('confirmCardPayment', clientSecret);
        const { payment_method: method, return_url } = data;
        const frame = frames.get(method.card);
        if (!frame) throw new Error('The Stripe stand-in confirms payments only with its card element.');
        const result = await frame().call('confirm', {
          key,
          clientSecret,
          billing: plain(method.billing_details ?? {}),
          more: { return_url },
        });
        return result.paymentIntent?.status === 'requires_action' ? authenticate(key, clientSecret) : result;
      },
      async createPaymentMethod() {
        throw new Error('The Stripe stand-in creates payment methods when a payment is confirmed.');
      },
      async createToken() {
        throw new Error('The Stripe stand-in has no tokens.');
      },
      registerAppInfo: () => undefined,
      _registerWrapper: () => undefined,
    };
    return stripe;
  }

  // The release that the pinned @stripe/stripe-js expects; it warns about any other.
  Object.assign(window, { Stripe: Object.assign(openStripe, { version: 'endive' }) });
})();
