import { ShopError } from '../../contract/errors.ts';
import type { FormActions, PageCall, PostedForm } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Config } from '../config/config.ts';
import { listParts, maxParts, readBoundary } from '../http/multipart.ts';
import { readBody, readBodyStart } from '../http/request.ts';
import type { RequestContext, SessionUser } from '../http/request-context.ts';
import { type Calls, callInProcess } from '../http/route.ts';
import type { createIdentityRoutes } from '../identity/routes.ts';
import { authBase } from '../identity/routes.ts';
import type { createSecurityLog } from '../operations/security-log.ts';
import type { SetEvict } from '../shop/images/decoder/body-budget.ts';
import { type createImageHost, drainBody, fileTooLarge, maxUploadBodyBytes } from '../shop/images/upload.ts';

type Options = {
  config: Config;
  calls: Calls;
  identity: ReturnType<typeof createIdentityRoutes>;
  images: ReturnType<typeof createImageHost>;
  logSecurity: ReturnType<typeof createSecurityLog>;
  toProblem: (error: unknown, requestId: string) => Problem;
  toIdentityResponse: (error: unknown, requestId: string) => Response;
};

/** The limit on a call's JSON body. */
const maxTextBytes = 100_000;

/** Reads the forms that browsers without scripts post to pages, and lets the pages act on them for the viewer. */
export function createFormPosts(options: Options) {
  const { config, calls, identity, images, logSecurity, toProblem, toIdentityResponse } = options;

  /** Reads a posted form. Throws 400, 413 and 415. */
  async function readForm(request: Request, visit: RequestContext): Promise<PostedForm> {
    const type = request.headers.get('content-type') ?? '';
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
      const text = (await readBody(request, maxTextBytes)).toString();
      // 50,000 empty fields would block the event loop and the render thread.
      if (text.split('&', maxParts + 1).length > maxParts)
        throw new ShopError('too_large', `A form has at most ${maxParts} fields.`);
      return { fields: normalizeLineBreaks([...new URLSearchParams(text)]) };
    }
    if (!readBoundary(type))
      throw new ShopError('wrong_type', 'Send the form URL-encoded or as multipart/form-data.');
    const viewer = await visit.findViewer();
    if (viewer)
      // If the image is too large, the fields before it are still read and shown again.
      return images.receive(
        viewer.email,
        (count) => readBodyStart(request, maxUploadBodyBytes + maxTextBytes, count),
        (body, setEvict) => readMultipart(body, type, viewer, visit, setEvict),
      );
    // Only forms for signed-in users have an image: the page redirects to the sign-in.
    await drainBody(request);
    return { fields: [] };
  }

  async function readMultipart(
    { bytes, whole }: { bytes: Buffer; whole: boolean },
    type: string,
    viewer: SessionUser,
    visit: RequestContext,
    setEvict: SetEvict,
  ): Promise<PostedForm> {
    const parts = [...listParts(bytes, type)];
    const texts = parts.filter(({ fileName }) => fileName === undefined);
    if (texts.reduce((sum, { content }) => sum + content.length, 0) > maxTextBytes)
      throw new ShopError('too_large', `The fields are larger than ${maxTextBytes} bytes.`);
    const fields = normalizeLineBreaks(
      texts.map(({ name, content }) => [name, Buffer.from(content).toString()]),
    );
    const file = parts.find(({ name, fileName }) => name === 'image' && fileName);
    // A hosted image service accepts images only from the browser's script.
    if (config.imageHost || (whole && !file)) return { fields };
    try {
      if (!whole || !file) throw new ShopError('too_large', fileTooLarge);
      const img = await images.store(file.content, viewer.email, setEvict);
      return { fields: [...fields.filter(([name]) => name !== 'img'), ['img', img]] };
    } catch (error) {
      return { fields, imageProblem: toProblem(error, visit.requestId) };
    }
  }

  /** `headers` collects the identity service's headers for the browser: the session cookie never reaches the page. */
  function createActions(request: Request, visit: RequestContext, headers: Headers): FormActions {
    const call: PageCall = (name, args) =>
      callInProcess(calls, visit, name, args).catch((error: unknown) => {
        throw toProblem(error, visit.requestId);
      });
    return {
      call,
      async callIdentity(name, body) {
        const path = authBase + name;
        const identityRequest = new Request(new URL(path, request.url), {
          method: 'POST',
          headers: toJsonHeaders(request.headers),
          body: JSON.stringify(body),
        });
        const response = await identity
          .handle(identityRequest, path, visit)
          .catch((error: unknown) => toIdentityResponse(error, visit.requestId));
        await logSecurity(identityRequest, path, response, visit);
        for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie);
        const retryAfter = response.headers.get('retry-after');
        if (retryAfter) headers.set('retry-after', retryAfter);
        return { status: response.status, body: await response.json().catch(() => undefined), retryAfter };
      },
    };
  }

  return { readForm, createActions };
}

function toJsonHeaders(from: Headers): Headers {
  const headers = new Headers(from);
  for (const name of ['content-length', 'transfer-encoding', 'content-encoding']) headers.delete(name);
  headers.set('content-type', 'application/json');
  return headers;
}

/** Browsers post CRLF; scripts send LF, which the limits on length assume. */
const normalizeLineBreaks = (fields: [string, string][]): [string, string][] =>
  fields.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]);
