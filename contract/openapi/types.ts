/** The parts of an OpenAPI 3.1 document that the shop uses: https://spec.openapis.org/oas/v3.1.1.html */

export type JsonSchema = { [keyword: string]: unknown };

type Media = { schema: JsonSchema; example?: unknown };

export type ResponseHeader = { description: string; schema: JsonSchema; example?: string };

export type ApiResponse = {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
};

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  description?: string;
  required?: true;
  schema: JsonSchema;
  example?: unknown;
};

export type Operation = {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  security: Record<string, []>[];
  parameters?: Parameter[];
  requestBody?: { required: true; content: Record<string, Media> };
  responses: Record<string, ApiResponse>;
};

type Servers = { url: string; description?: string }[];

/** The operations at one path by lower-case method. `servers` is set for paths outside `/api`. */
export type PathItem = { servers?: Servers } & {
  [method in 'get' | 'put' | 'post' | 'patch' | 'delete']?: Operation;
};

export type OpenApi = {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: Servers;
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, ResponseHeader>;
    securitySchemes: Record<string, JsonSchema>;
  };
};
