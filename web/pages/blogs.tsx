import { PageHeading } from '../components/page-heading.tsx';
import { useAllStyles } from '../shop.tsx';
import { answers } from './blogs/answers.tsx';

export function Component() {
  return (
    <>
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <PageHeading
        title="Blogs"
        description="Five questions about building for the web, with answers from building this shop."
        label="From the workshop"
      />
      <div className="gap-20 md:grid md:grid-cols-[17rem_1fr]">
        <nav aria-label="Questions" className="mb-10 text-sm md:sticky md:top-6 md:h-fit">
          <ol className="border-t border-rule">
            {answers.map(({ id, question }, index) => (
              <li key={id} className="border-b border-rule">
                <a href={`#${id}`} className="flex gap-3 py-3 text-blued hover:underline">
                  <span className="figures font-serif text-brass">{index + 1}</span>
                  {question}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div className="max-w-text">
          {answers.map(({ id, question, body }, index) => (
            <article key={id} id={id} className="mb-16 border-t-2 border-edge pt-5">
              <p className="caps mb-2 text-brass">Question {index + 1}</p>
              <h2 className="mb-5 text-2xl">{question}</h2>
              <div className="answer">{body}</div>
            </article>
          ))}
        </div>
      </div>
    </>
  );
}
