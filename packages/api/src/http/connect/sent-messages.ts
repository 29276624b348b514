/** A message in the body of an RPC request. */
export interface SentMessage {
  readonly data: Uint8Array;
  readonly isJson: boolean;
  /** The name of the compression algorithm, or undefined if the message is not compressed. */
  readonly encoding: string | undefined;
}

const headBytes = 5;
const compressedFlag = 1;

/**
 * Lists the messages in a body. Unary calls over the Connect protocol consist of a message without a header. All other protocols send
 * messages with headers of five bytes: flags and size.
 */
export function listMessages(header: Headers, bytes: Uint8Array): SentMessage[] {
  const type = header.get("content-type") ?? "";
  const isJson = /\bjson\b/i.test(type);
  if (/^application\/(?:json|proto)\b/i.test(type)) {
    const encoding = header.get("content-encoding") ?? "identity";
    return [{ data: bytes, isJson, encoding: encoding === "identity" ? undefined : encoding }];
  }
  const encoding = header.get("grpc-encoding") ?? header.get("connect-content-encoding") ?? "identity";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: SentMessage[] = [];
  for (let at = 0; at + headBytes <= bytes.length;) {
    const end = at + headBytes + view.getUint32(at + 1);
    const isCompressed = (view.getUint8(at) & compressedFlag) !== 0;
    found.push({ data: bytes.subarray(at + headBytes, end), isJson, encoding: isCompressed ? encoding : undefined });
    at = end;
  }
  return found;
}
