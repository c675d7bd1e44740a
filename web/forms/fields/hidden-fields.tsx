import type { Viewer } from '../../../contract/pages.ts';

type Props = {
  form: { name: string; viewer: Viewer | undefined };
  /** The version of the resource that the page shows. */
  version?: number | undefined;
};

/** The form's name, the user for whom it was rendered, and the version that the page showed. */
export const HiddenFields = ({ form: { name, viewer }, version }: Props) => (
  <>
    <input type="hidden" name="form" value={name} />
    {viewer && <input type="hidden" name="viewer" value={viewer._id} />}
    {version !== undefined && <input type="hidden" name="version" value={version} />}
  </>
);
