import type { Viewer } from '../../contract/pages.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { RestoredNotice } from '../components/feedback/restored-notice.tsx';
import { ErrorSummary } from './error-summary.tsx';

type Props = {
  /** From `useShopForm`. */
  form: {
    formState: { submitCount: number };
    listErrors: () => { id: string; message: string }[];
    root: string | undefined;
  };
  /** From `useDraft`. */
  draft: { restored: boolean };
  viewer: Viewer;
  /** The form has an image, which a draft cannot restore. */
  image?: boolean;
};

/** The start of a form: its messages, and the viewer whom it was rendered for. */
export function FormHead({ form, draft, viewer, image = false }: Props) {
  const { submitCount } = form.formState;
  return (
    <>
      {draft.restored && <RestoredNotice image={image} />}
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      {form.root && (
        <Notice error noFocus={submitCount === 0}>
          {form.root}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
    </>
  );
}
