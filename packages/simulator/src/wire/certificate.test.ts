import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createSelfSigned } from "./certificate.ts";

const nowMs = Date.UTC(2026, 10, 15, 9, 0, 0);

test("a plug-in's certificate is self-signed and valid for localhost on both ends of a connection", () => {
  const { keyPem, certificatePem, der } = createSelfSigned(nowMs);
  const certificate = new X509Certificate(certificatePem);
  expect(certificate.raw).toEqual(der);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.ca).toBe(true);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  expect(certificate.subject).toBe(certificate.issuer);
});

test("a certificate is valid from just before now in both time formats", () => {
  for (const at of [nowMs, Date.UTC(2051, 0, 1)]) {
    const certificate = new X509Certificate(createSelfSigned(at).certificatePem);
    expect(certificate.validFromDate.getTime()).toBe(at - 30_000);
    expect(certificate.validToDate.getTime()).toBe(at + 86_400_000);
  }
});

test("the key usage has exactly two unused bits, as Go requires", () => {
  expect(createSelfSigned(nowMs).der.toString("hex")).toContain("0603551d0f0101ff0404030202ac");
});

test("every certificate has its own serial number", () => {
  const numbers = Array.from({ length: 20 }, () => new X509Certificate(createSelfSigned(nowMs).certificatePem).serialNumber);
  expect(new Set(numbers).size).toBe(20);
});
