import type { ReactNode } from 'react';
import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Errors } from './health/errors.tsx';
import { Holds, Mail, Payments, System } from './health/figures.tsx';
import { HealthSummary } from './health/health-summary.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return args.context.get(loaderContext).client.call('getHealth', {});
}

export function Component() {
  const { troubles, facts, startedAt } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading title="Health" description="Whether the shop is healthy, and what to do if it is not." />
      <HealthSummary troubles={troubles} readAt={facts.readAt} />
      <p className="mt-6 mb-12">
        <ButtonLink kind="plain" to="/dashboard/health" preventScrollReset>
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
