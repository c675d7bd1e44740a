import type { ReactNode } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import { requireViewer } from '../client/route-access.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { useAllStyles } from '../shop.tsx';

export function loader(args: LoaderFunctionArgs) {
  requireViewer(args);
  return null;
}

const skills = ['TypeScript', 'React', 'Node', 'SQL', 'Accessibility', 'Payments', 'Clock repair'];

const education = [
  ['2014 – 2017', 'Horology, British Horological Institute, distance learning'],
  ['2010 – 2014', 'B.Sc. Computer Science, University of Leeds'],
] as const;

const projects = [
  ['Hand-Tools Shop', 'https://example.com/hand-tools', 'This shop: a catalogue, orders and card payment.'],
  [
    'Beat Error',
    'https://example.com/beat-error',
    'Listens to a watch and draws the trace of its escapement.',
  ],
  [
    'Plate & Pillar',
    'https://example.com/plate-and-pillar',
    'A ledger of repairs for a workshop of three benches.',
  ],
] as const;

/** A static page about the shop's developer. */
export function Component() {
  return (
    <div className="max-w-[50rem]">
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <PageHeading title="Mara Whitlock" description="The developer of this shop." label="MyPortfolio" />
      <dl className="border-t border-rule">
        <Row term="Email">
          <a href="mailto:mara@example.com" className="link max-sm:link-alone">
            mara@example.com
          </a>
        </Row>
        <Row term="Education">
          <ul className="flex flex-col gap-2">
            {education.map(([years, degree]) => (
              <li key={years}>
                <span className="figures block text-sm text-soft">{years}</span>
                {degree}
              </li>
            ))}
          </ul>
        </Row>
        <Row term="Skills">
          <ul className="flex flex-wrap gap-2">
            {skills.map((skill) => (
              <li key={skill} className="border border-rule bg-leaf px-3 py-1 text-sm">
                {skill}
              </li>
            ))}
          </ul>
        </Row>
        <Row term="Projects">
          <ul className="flex flex-col gap-4">
            {projects.map(([name, url, description]) => (
              <li key={name}>
                <a href={url} className="link font-serif text-lg max-sm:link-alone">
                  {name}
                </a>
                <span className="block text-sm text-soft">{description}</span>
              </li>
            ))}
          </ul>
        </Row>
      </dl>
    </div>
  );
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-8 gap-y-1 border-b border-rule py-5 sm:grid-cols-[9rem_1fr]">
      <dt className="caps pt-1 text-brass">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
