/** Returns the name of an operation. The name contains the last digits of the uid, which are random. */
export function operationName(uid: string | null): string {
  return uid === null ? "" : `op-${uid.slice(-12)}`;
}
