import { fileTooLarge } from '../../contract/catalogue/images.ts';
import { ShopError } from '../../contract/errors.ts';
import { deliveryRatesPage } from '../../contract/page-addresses.ts';
import type { PostedForm } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Config } from '../config/config.ts';
import { listParts, readBody, readBodyStart, readBoundary } from '../http/request.ts';
import type { RequestContext } from '../http/request-context.ts';
import { type createImageHost, drainBody, maxUploadBodyBytes } from '../shop/images/upload.ts';

/** As large as a call's JSON body may be. 50,000 empty fields would block the event loop and the render thread. */
const limits = { bytes: 100_000, fields: 1500 };
/** For admins' form for delivery: eleven fields for each of 500 rates, and four for each of 200 zones. */
const deliveryLimits = { bytes: 500_000, fields: 6500 };

/** Reads the forms that browsers without scripts post to pages. */
export function createFormReader({ imageHost }: Config, images: ReturnType<typeof createImageHost>) {
  /**
   * Throws 400 if the form cannot be read, 413 if it is too large, and 415 for another content type. `describe` describes why the
   * image was rejected.
   */
  return async (
    request: Request,
    visit: RequestContext,
    describe: (error: unknown) => Problem,
  ): Promise<PostedForm> => {
    const type = request.headers.get('content-type') ?? '';
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
      const isForDelivery =
        visit.url.pathname === deliveryRatesPage && (await visit.findViewer())?.role === 'admin';
      const { bytes, fields } = isForDelivery ? deliveryLimits : limits;
      const text = (await readBody(request, bytes)).toString();
      if (text.split('&', fields + 1).length > fields)
        throw new ShopError('too_large', `A form has at most ${fields} fields.`);
      return { fields: normalizeLineBreaks([...new URLSearchParams(text)]) };
    }
    if (!readBoundary(type))
      throw new ShopError('wrong_type', 'Send the form URL-encoded or as multipart/form-data.');
    const viewer = await visit.findViewer();
    if (!viewer) {
      // Only forms for signed-in users have an image, so the page will redirect this visitor to the sign-in.
      await drainBody(request);
      return { fields: [] };
    }
    return images.receive(
      viewer.email,
      // If the image is too large, the fields before it are still read and shown again.
      (count) => readBodyStart(request, maxUploadBodyBytes + limits.bytes, count),
      async ({ bytes, whole }, setEvict) => {
        const { fields, file } = readMultipart(bytes, type);
        // A hosted image service accepts images only from the browser's script.
        if (imageHost || (whole && !file)) return { fields };
        try {
          if (!whole || !file) throw new ShopError('too_large', fileTooLarge);
          const img = await images.store(file, viewer, setEvict);
          return { fields: [...fields.filter(([name]) => name !== 'img'), ['img', img]] };
        } catch (error) {
          return { fields, imageProblem: describe(error) };
        }
      },
    );
  };
}

function readMultipart(bytes: Buffer, type: string) {
  const parts = [...listParts(bytes, type)];
  const texts = parts.filter(({ fileName }) => fileName === undefined);
  if (texts.reduce((sum, { content }) => sum + content.length, 0) > limits.bytes)
    throw new ShopError('too_large', `The fields are larger than ${limits.bytes} bytes.`);
  const fields = normalizeLineBreaks(
    texts.map(({ name, content }) => [name, Buffer.from(content).toString()]),
  );
  return { fields, file: parts.find(({ name, fileName }) => name === 'image' && fileName)?.content };
}

/** Browsers post CRLF; scripts send LF, which the limits on length assume. */
const normalizeLineBreaks = (fields: [string, string][]): [string, string][] =>
  fields.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]);
