import { createHash, createHmac } from "node:crypto";
import type { ClientKeys } from "./open-aws.ts";

/** A request to be signed. The path and the query are encoded. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly service: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Signs a request with Signature Version 4. Written from the specification, independently of the verifier. */
export function signRequest(
  { method, path, query = "", body = "", service, headers = {} }: RawRequest,
  address: string,
  keys: ClientKeys,
): Readonly<Record<string, string>> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = [time.slice(0, 8), "eu-west-1", service, "aws4_request"];
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const signed = { ...headers, host: new URL(address).host, "x-amz-date": time };
  const names = Object.keys(signed).toSorted();
  const canonical = [
    method,
    path.replaceAll("%", "%25"),
    query.split("&").toSorted().join("&"),
    names.map((name) => `${name}:${(signed as Record<string, string>)[name]?.trim().replaceAll(/ +/g, " ") ?? ""}\n`).join(""),
    names.join(";"),
    hash(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), hash(canonical)].join("\n");
  const key = scope.reduce<Buffer>(
    (before, part) => createHmac("sha256", before).update(part).digest(),
    Buffer.from(`AWS4${keys.secretAccessKey}`),
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope.join("/")}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, "x-amz-date": time, authorization };
}
