/**
 * The mailbox that an address most likely reaches: without a tag (`tom+shop@mail.example`) and, at Gmail, without dots. Limits
 * on messages that anybody can request for somebody else count by it. It is not an identity: two users may share it.
 */
export function toMailbox(email: string): string {
  const [, local = email, domain = ''] = /^(.*)@([^@]*)$/s.exec(email) ?? [];
  const name = local.replace(/(?<=.)\+.*/s, '');
  return /^(gmail|googlemail)\.com$/.test(domain)
    ? `${name.replaceAll('.', '')}@gmail.com`
    : `${name}@${domain}`;
}
