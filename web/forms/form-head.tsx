import type { Viewer } from '../../contract/pages.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { RestoredNotice } from '../components/feedback/restored-notice.tsx';
import type { useDraft } from './draft.ts';
import { ErrorSummary } from './error-summary.tsx';
import { KeptInput } from './kept-input.tsx';

type Props = {
  /** From `usePageForm`. */
  form: {
    formState: { submitCount: number; isSubmitting: boolean; isSubmitSuccessful: boolean };
    listErrors: () => { id: string; message: string }[];
    root: string | undefined;
  };
  /** From `useDraft`. */
  draft: ReturnType<typeof useDraft>;
  /** Absent for the forms of visitors. */
  viewer: Viewer | undefined;
  /** Set if the form has an image, which a draft cannot restore. */
  image?: boolean;
  /** Keep unsaved input when the user leaves the page. */
  keepsInput?: boolean;
};

/** The messages at the start of a form. */
export function FormHead({ form, draft, viewer, image = false, keepsInput = false }: Props) {
  const { submitCount } = form.formState;
  return (
    <>
      {draft.restored && !draft.isKept && <RestoredNotice image={image} />}
      {keepsInput && viewer && <KeptInput form={form} draft={draft} email={viewer.email} />}
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      {form.root && (
        <Notice error noFocus={submitCount === 0}>
          {form.root}
        </Notice>
      )}
    </>
  );
}
