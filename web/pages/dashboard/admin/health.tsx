import type { ReactNode } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { healthPage } from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Errors } from './health/errors.tsx';
import { FailedMail } from './health/failed-mail.tsx';
import { Holds, Mail, Payments, System } from './health/figures.tsx';
import { HealthSummary } from './health/health-summary.tsx';
import { retriedMessage } from './health/retry-mail.ts';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  return { ...(await args.context.get(loaderContext).client.call('getHealth', {})), viewer };
}

export function Component() {
  const { troubles, untried, facts, startedAt, viewer } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  return (
    <>
      <PageHeading title="Health" description="Whether the shop is healthy, and what to do if it is not." />
      {search.get('done') === 'retried' && <Notice done>{retriedMessage}</Notice>}
      <HealthSummary troubles={troubles} untried={untried} readAt={facts.readAt} />
      <p className="mt-6 mb-12">
        <ButtonLink kind="plain" to={healthPage} preventScrollReset>
          Refresh
        </ButtonLink>
      </p>
      <Part title="Payments">
        <Payments facts={facts} />
      </Part>
      <Part title="Stock on hold">
        <Holds facts={facts} />
      </Part>
      <Part title="Mail">
        <Mail facts={facts} />
        {facts.mail.failed.length > 0 && <FailedMail facts={facts} viewer={viewer} />}
      </Part>
      <Part title="Errors of the last day">
        <Errors errors={facts.errors} />
      </Part>
      <Part title="The shop itself">
        <System facts={facts} startedAt={startedAt} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-12">
      <h2 className="mb-3 text-2xl">{title}</h2>
      {children}
    </section>
  );
}
