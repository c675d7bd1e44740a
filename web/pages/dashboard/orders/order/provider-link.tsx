import { useSettings } from '../../../../shop.tsx';

/** The page of a payment in the provider's dashboard. */
export function ProviderLink({ intent }: { intent: string }) {
  const { sandbox, testKeys } = useSettings();
  if (sandbox)
    return (
      <span className="block text-sm text-soft">Paid in the sandbox, so Stripe has no page for it.</span>
    );
  const mode = testKeys ? 'test/' : '';
  return (
    <a
      href={`https://dashboard.stripe.com/${mode}payments/${encodeURIComponent(intent)}`}
      rel="noreferrer"
      className="link link-alone print:hidden"
    >
      Open in Stripe
    </a>
  );
}
