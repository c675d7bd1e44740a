import type { LoaderFunctionArgs } from 'react-router';
import { requireViewer } from '../../access.ts';
import { PageHeading } from '../../components/page-heading.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireViewer(args);
  return null;
}

export function Component() {
  return <PageHeading title="Payment" description="Payment" />;
}
