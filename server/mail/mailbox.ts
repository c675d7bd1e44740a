import { domainToASCII } from 'node:url';

/** Characters that are invisible, or that mail programs drop from an address. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{C}\s<>"]/gu;

/**
 * Returns the mailbox that an address most likely reaches: without a tag (`tom+shop@mail.example`), at Gmail without dots, in
 * lower case, and with the domain in Punycode. Limits on messages count by mailbox. Two users may share a mailbox, so it must not
 * identify a user.
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
