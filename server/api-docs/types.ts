/** What the shop's OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html) is made of: no more than it uses. */

export type Schema = { [keyword: string]: unknown };

type Media = { schema: Schema; example?: unknown };

export type Header = { description: string; schema: Schema; example?: string };

export type Answer = {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
};

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  description?: string;
  required?: true;
  schema: Schema;
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
  responses: Record<string, Answer>;
};

type Servers = { url: string; description?: string }[];

/** The calls at one path by their method in small letters. `servers` where they do not stand under `/api`. */
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
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, Schema>;
  };
};
