import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { SessionNotFound } from 'oidc-provider/lib/helpers/errors.js';
import { renderChoicePage, renderErrorPage } from './page.ts';
import { people, savePerson, toPerson } from './people.ts';
import type { GoogleDatabase } from './tables.ts';

/**
 * The account page of one sign-in. GET shows it; POST takes a choice (`person`, or `email` with `verified`) or `cancel`
 * and redirects to the shop. A signed SameSite=Lax cookie identifies the sign-in, so another site cannot submit the form.
 */
export async function handleAccountChoice(
  provider: Provider,
  db: GoogleDatabase,
  req: IncomingMessage,
  res: ServerResponse,
) {
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  try {
    const { params } = await provider.interactionDetails(req, res);
    const shop = new URL(String(params.redirect_uri)).host;
    if (req.method !== 'POST') return res.end(renderChoicePage({ shop, verified: true }));

    const form = new URLSearchParams(await readBody(req));
    if (form.has('cancel')) {
      return await provider.interactionFinished(req, res, { error: 'access_denied' });
    }
    const email = (form.get('email') ?? '').trim();
    const verified = form.has('verified');
    const isEmail = email.length <= 254 && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u.test(email);
    const chosen =
      people.find(({ sub }) => sub === form.get('person')) ?? (isEmail && toPerson(email, verified));
    if (!chosen) return res.writeHead(422).end(renderChoicePage({ shop, verified, invalidEmail: email }));

    await savePerson(db, chosen);
    // The choice satisfies every prompt.
    const login = { accountId: chosen.sub };
    await provider.interactionFinished(req, res, { login, select_account: {}, consent: {} });
  } catch (error) {
    if (!(error instanceof SessionNotFound)) throw error;
    const detail = 'It has expired or was already completed. Start again from the shop.';
    res.writeHead(400).end(renderErrorPage(detail, new URL(provider.issuer).origin));
  }
}

/** Reads the form and ignores everything after about 10 KB. */
async function readBody(req: IncomingMessage) {
  let text = '';
  req.setEncoding('utf8');
  for await (const chunk of req) if (text.length < 10_000) text += chunk;
  return text;
}
