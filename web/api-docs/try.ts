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
const telling = ['content-type', 'link', 'etag', 'retry-after', 'x-request-id'];

async function show(form: HTMLFormElement): Promise<void> {
  const place = find<HTMLElement>(form, '.answered');
  const [status, code] = [find(form, '[role=status]'), find(form, 'code')];
  const more = find<HTMLButtonElement>(form, '.more');
  if (!place || !status || !code || !more) return;
  place.hidden = false;
  status.textContent = 'Please Wait, Processing...';
  code.textContent = '';
  more.hidden = true;
  try {
    const response = await send(form);
    const { headers } = response;
    const told = telling.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
    code.textContent = `${told.join('\n')}\n\n${layOut(await response.text())}`;
    status.textContent = `Answered ${response.status} ${response.statusText}.`;
    const after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    more.value = decodeURIComponent(after ?? '');
    more.hidden = after === undefined;
  } catch (error) {
    status.textContent = `There is no answer: ${error instanceof Error ? error.message : error}.`;
  }
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
  const more = find<HTMLButtonElement>(form, '.more');
  more?.addEventListener('click', () => {
    const after = find<HTMLInputElement>(form, '[name=after]');
    if (after) after.value = more.value;
    form.requestSubmit();
  });
}

find(document, '#token')?.addEventListener('input', () => {
  const choice = find<HTMLInputElement>(document, '[value=token]');
  if (choice) choice.checked = true;
});

const calls = () => [...document.querySelectorAll<HTMLDetailsElement>('details.call')];
find(document, '#unfold')?.addEventListener('click', () => {
  const open = calls().some((call) => !call.open);
  for (const call of calls()) call.open = open;
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
