import type { Resolver } from 'node:dns/promises';
import { codeOf } from '../../database/errors.ts';
import type { Report } from './report.ts';

type Dns = Pick<Resolver, 'resolveTxt'>;

/** The answer to a query: the records, or why there are none. */
type Answer = { records: string[] } | { missing: 'name' | 'records' } | 'unknown';

/** Reports the records that receivers check before they trust a message from this domain. */
export async function checkSenderDomain(domain: string, report: Report, dns: Dns): Promise<void> {
  const [spf, dmarc, parentDmarc, dkim] = await Promise.all([
    lookUp(dns, domain),
    lookUp(dns, `_dmarc.${domain}`),
    // A subdomain has the policy of its organization (RFC 7489, 6.6.3).
    lookUp(dns, `_dmarc.${domain.split('.').slice(-2).join('.')}`),
    lookUp(dns, `_domainkey.${domain}`),
  ]);
  const missing: string[] = [];
  const unknown: string[] = [];
  if (spf === 'unknown') unknown.push('SPF');
  else if (!has(spf, /^v=spf1( |$)/i)) missing.push(`SPF record (TXT of ${domain}, v=spf1 …)`);
  if (!has(dmarc, /^v=DMARC1/) && !has(parentDmarc, /^v=DMARC1/)) {
    if (dmarc === 'unknown' || parentDmarc === 'unknown') unknown.push('DMARC');
    else missing.push(`DMARC record (TXT of _dmarc.${domain}, v=DMARC1; …)`);
  }
  // The name of a key contains a selector that only the mail service knows. If nothing is below `_domainkey`, there is none.
  if (dkim === 'unknown') unknown.push('DKIM');
  else if ('missing' in dkim && dkim.missing === 'name')
    missing.push(`DKIM key (TXT of SELECTOR._domainkey.${domain})`);

  if (missing.length > 0)
    report.warn(
      `Mail: DNS has no ${missing.join(', no ')}, so messages may be treated as spam.`,
      'Add the records that your mail service lists for your domain.',
    );
  else if (unknown.length === 0)
    report.ok(
      `Mail: ${domain} has SPF and DMARC records. Whether messages have a valid DKIM signature is shown in a message’s source, as dkim=pass.`,
    );
  if (unknown.length > 0)
    report.ok(`Mail: ${unknown.join(', ')} of ${domain} could not be looked up: DNS did not answer.`);
}

const has = (answer: Answer, record: RegExp): boolean =>
  typeof answer === 'object' && 'records' in answer && answer.records.some((text) => record.test(text));

async function lookUp(dns: Dns, name: string): Promise<Answer> {
  try {
    return { records: (await dns.resolveTxt(name)).map((parts) => parts.join('')) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTFOUND') return { missing: 'name' };
    return code === 'ENODATA' ? { missing: 'records' } : 'unknown';
  }
}
