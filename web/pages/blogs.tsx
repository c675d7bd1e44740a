import { PageHeading } from '../components/page-heading.tsx';

export function Component() {
  return <PageHeading title="Blogs" description="Blogs" />;
}
