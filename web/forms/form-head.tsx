import type { Viewer } from '../../contract/pages.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { RestoredNotice } from '../components/feedback/restored-notice.tsx';
import type { useDraft } from './draft.ts';
import { ErrorSummary } from './error-summary.tsx';
import { KeptInput } from './kept-input.tsx';

type Props = {
  /** From `useShopForm`. */
  form: {
    formState: { submitCount: number; isSubmitting: boolean; isSubmitSuccessful: boolean };
    listErrors: () => { id: string; message: string }[];
    root: string | undefined;
  };
  /** From `useDraft`. */
  draft: ReturnType<typeof useDraft>;
  viewer: Viewer;
  /** Set if the form has an image, which a draft cannot restore. */
  image?: boolean;
  /** Keep unsaved input when the user leaves the page. */
  keepsInput?: boolean;
  /** The version of what the page shows, for a plain post. */
  version?: number;
};

/** The start of a form: its messages, and the viewer for whom it was rendered. */
export function FormHead({ form, draft, viewer, image = false, keepsInput = false, version }: Props) {
  const { submitCount } = form.formState;
  return (
    <>
      {draft.restored && !draft.isKept && <RestoredNotice image={image} />}
      {keepsInput && <KeptInput form={form} draft={draft} email={viewer.email} />}
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      {form.root && (
        <Notice error noFocus={submitCount === 0}>
          {form.root}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      {version !== undefined && <input type="hidden" name="version" value={version} />}
    </>
  );
}
