import { domainToASCII } from 'node:url';

/** Invisible characters, and characters that mail programs drop from an address. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{C}\s<>"]/gu;

/**
 * The mailbox that an address most likely reaches. It has no tag (`tom+shop@mail.example`), no dots at Gmail, lower case, and a
 * domain in Punycode. Limits on messages to an address count by mailbox. A mailbox does not identify a user: two may share it.
 */
export function toMailbox(email: string): string {
  const plain = email.normalize('NFKC').replace(dropped, '').toLowerCase();
  const [, local = plain, typed = ''] = /^(.*)@([^@]*)$/s.exec(plain) ?? [];
  const domain = (domainToASCII(typed) || typed).replace(/\.+$/, '');
  const name = local.replace(/(?<=.)\+.*/s, '');
  return /^(gmail|googlemail)\.com$/.test(domain)
    ? `${name.replaceAll('.', '')}@gmail.com`
    : `${name}@${domain}`;
}
