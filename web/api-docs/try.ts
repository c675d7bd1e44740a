/** The script of `/api/docs`: sends what a call's form says and shows what was answered. */

const find = <T extends Element>(within: ParentNode, selector: string): T | null =>
  within.querySelector<T>(selector);

/** Who sends it, as was chosen: a token goes before the cookie, as everywhere in the shop. */
function credentials(): { credentials: RequestCredentials; headers: Record<string, string> } {
  const as = find<HTMLInputElement>(document, '[name=as]:checked')?.value;
  const token = find<HTMLInputElement>(document, '#token')?.value.trim();
  if (as === 'token') return { credentials: 'omit', headers: { authorization: `Bearer ${token}` } };
  return { credentials: as === 'cookie' ? 'same-origin' : 'omit', headers: {} };
}

async function send(form: HTMLFormElement): Promise<Response> {
  const { method = 'GET', path = '/' } = form.dataset;
  const { headers, ...as } = credentials();
  let address = path;
  const query = new URLSearchParams();
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
    if (dataset.in === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value && dataset.in === 'query') query.set(name, value);
    else if (value && dataset.in === 'header') headers[name] = value;
  }
  const text = find<HTMLTextAreaElement>(form, 'textarea')?.value;
  const file = find<HTMLInputElement>(form, '[type=file]');
  const body = text ?? (file ? new FormData(form) : undefined);
  if (text !== undefined) headers['content-type'] = 'application/json';
  return fetch(query.size ? `${address}?${query}` : address, {
    ...as,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** What of an answer's headers tells something. */
const telling = ['content-type', 'link', 'etag', 'retry-after', 'x-request-id', 'set-auth-token'];

async function show(form: HTMLFormElement): Promise<void> {
  const place = find<HTMLElement>(form, '.answered');
  const status = find(form, '[role=status]');
  const code = find(form, '.answered code');
  const more = find<HTMLButtonElement>(form, '.more');
  const button = find<HTMLButtonElement>(form, '[type=submit]');
  if (!place || !status || !code || !more || !button) return;
  place.hidden = false;
  button.disabled = true;
  status.textContent = 'Please Wait, Processing...';
  code.textContent = '';
  more.hidden = true;
  const began = performance.now();
  try {
    const response = await send(form);
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    status.textContent = `Answered ${response.status} ${response.statusText} in ${took} ms.`;
    const headers = telling.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    code.textContent = `${headers.join('\n')}\n\n${layOut(text)}`;
    const after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    more.dataset.after = after ?? '';
    more.hidden = after === undefined;
  } catch (error) {
    status.textContent = `There is no answer: ${error instanceof Error ? error.message : error}.`;
  }
  button.disabled = false;
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void show(form);
  });
  find<HTMLButtonElement>(form, '.more')?.addEventListener('click', ({ currentTarget }) => {
    const after = find<HTMLInputElement>(form, '[name=after]');
    if (!after || !(currentTarget instanceof HTMLElement)) return;
    after.value = decodeURIComponent(currentTarget.dataset.after ?? '');
    form.requestSubmit();
  });
}

const token = find<HTMLInputElement>(document, '#token');
token?.addEventListener('input', () => {
  const choice = find<HTMLInputElement>(document, '[name=as][value=token]');
  if (choice) choice.checked = true;
});

const calls = () => [...document.querySelectorAll<HTMLDetailsElement>('details.call')];
const unfold = find<HTMLButtonElement>(document, '#unfold');
unfold?.addEventListener('click', () => {
  const open = calls().some((call) => !call.open);
  for (const call of calls()) call.open = open;
  unfold.textContent = open ? 'Fold all calls' : 'Unfold all calls';
});

/** A call that the address names is unfolded. */
function unfoldNamed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
}
addEventListener('hashchange', unfoldNamed);
unfoldNamed();

export {};
