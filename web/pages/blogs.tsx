import { PageHeading } from '../components/page-heading.tsx';
import { answers } from './blogs/answers.tsx';

export function Component() {
  return (
    <>
      <PageHeading
        title="Blogs"
        description="Five questions about building for the web, answered from how this shop is built."
        label="From the workshop"
      />
      <div className="gap-16 md:grid md:grid-cols-[16rem_1fr]">
        <nav aria-label="Questions" className="mb-10 text-sm md:sticky md:top-6 md:h-fit">
          <ol className="border-t border-rule">
            {answers.map(({ id, question }) => (
              <li key={id} className="border-b border-rule">
                <a href={`#${id}`} className="block py-2.5 text-blued hover:underline">
                  {question}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div className="max-w-text">
          {answers.map(({ id, question, body }) => (
            <article key={id} id={id} className="mb-12 border-t border-rule pt-5">
              <h2 className="mb-4 text-2xl">{question}</h2>
              <div className="flex flex-col gap-4 [&_code]:font-mono [&_code]:text-[0.9em]">{body}</div>
            </article>
          ))}
        </div>
      </div>
    </>
  );
}
