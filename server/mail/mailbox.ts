import { domainToASCII } from 'node:url';

/** Invisible characters, and characters that mail programs drop from an address. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{C}\s<>"]/gu;

/**
 * The mailbox that an address most likely reaches: without a tag (`tom+shop@mail.example`) and, at Gmail, without dots; in lower
 * case, with the domain in Punycode. All limits on messages to an address count by mailbox. It is not an identity: two users may
 * share it.
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
