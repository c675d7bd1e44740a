import type { z } from 'zod';
import { contactMessage, newSubscription } from '../../contract/accounts/contact.ts';
import type { PageCall } from '../../contract/pages.ts';
import { validateWith } from './form-validation.ts';
import type { ShopForm } from './shop-form.ts';

/* Forms that are always posted to the server, even by browsers with scripts: the home page has no bytes to spare. */

export const createContactForm = (call: PageCall): ShopForm<z.output<typeof contactMessage>> => ({
  name: 'contact',
  fields: ['email', 'message'],
  validate: validateWith(contactMessage),
  send: (_, body) => call('sendContactMessage', { body }),
  redirectTo: '/contact',
  doneCode: 'sent',
});

export const createSubscribeForm = (call: PageCall): ShopForm<z.output<typeof newSubscription>> => ({
  name: 'newsletter',
  fields: ['email'],
  validate: validateWith(newSubscription),
  send: (_, body) => call('subscribe', { body }),
  redirectTo: '/newsletter',
  doneCode: 'sent',
});

/** `token` is from the page's URL. */
export const createConfirmForm = (call: PageCall, token: string): ShopForm<{ token: string }> => ({
  name: 'confirm',
  fields: [],
  validate: () => ({ values: { token } }),
  send: (_, body) => call('confirmSubscription', { body }),
  redirectTo: '/newsletter',
  doneCode: 'confirmed',
});
