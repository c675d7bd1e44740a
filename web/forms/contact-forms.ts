import { contactPage, newsletterPage } from '../../contract/page-addresses.ts';
import { defineForm, textOf } from './page-form.ts';

/* The calls validate these forms: their pages load no schemas. */

export const contactForm = defineForm({
  name: 'contact',
  fields: ['email', 'message'],
  access: 'anyone',
  validate: (input) => ({ values: { email: textOf(input, 'email'), message: textOf(input, 'message') } }),
  send: ({ client }, body) => client.call('sendContactMessage', { body }),
  donePage: () => `${contactPage}?done=sent`,
});

/** Sends an address a link that subscribes it to the newsletter. */
export const subscribeForm = defineForm({
  name: 'newsletter',
  fields: ['email'],
  access: 'anyone',
  validate: (input) => ({ values: { email: textOf(input, 'email') } }),
  send: ({ client }, body) => client.call('subscribe', { body }),
  donePage: () => `${newsletterPage}?done=sent`,
});

/** Subscribes the address that the link was sent to. */
export const confirmForm = defineForm({
  name: 'confirm',
  fields: ['token'],
  urlFields: ['token'],
  access: 'anyone',
  validate: (input) => ({ values: { token: textOf(input, 'token') } }),
  send: ({ client }, body) => client.call('confirmSubscription', { body }),
  donePage: () => `${newsletterPage}?done=confirmed`,
});
