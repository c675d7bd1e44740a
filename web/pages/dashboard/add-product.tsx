import type { LoaderFunctionArgs } from 'react-router';
import { requireAdmin } from '../../access.ts';
import { PageHeading } from '../../components/page-heading.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return null;
}

export function Component() {
  return <PageHeading title="Add Product" description="Add Product" />;
}
