import { expect, test } from "vitest";
import {
  WalletError,
  findSentence,
  nameWalletError,
  noticeForMissing,
  noticeForWallet,
} from "./wallet-notices";

test("the wallets' error codes are recognised, however deeply nested", () => {
  const codes = { 4001: "rejected", 4100: "locked", 4200: "unsupported", 4900: "gone", 4901: "chain-silent" };
  for (const [code, errorName] of Object.entries(codes)) {
    const wrapped = new Error("outer", { cause: new Error("middle", { cause: { code: Number(code) } }) });
    expect(nameWalletError(wrapped)).toBe(errorName);
  }
  expect(nameWalletError({ code: -32002 })).toBe("pending");
  expect(nameWalletError({ code: -32603, data: { originalError: { code: 4001 } } })).toBe("rejected");
});

test("the words of an error count where no code decides, and never against one", () => {
  const words = {
    "User rejected the request.": "rejected",
    "Request of type 'x' already pending": "pending",
    "Wallet is locked": "locked",
    "Extension context invalidated.": "gone",
    "insufficient funds for gas * price + value": "no-funds",
    "Popup window was blocked": "window-blocked",
    "Something odd": "failed",
  };
  for (const [message, errorName] of Object.entries(words))
    expect(nameWalletError(new Error(message))).toBe(errorName);
  expect(nameWalletError({ code: -32002, message: "User rejected" })).toBe("pending");
});

test("an error classified by the page precedes anything a wallet says", () => {
  const cause = { code: 4001, message: "User rejected" };
  expect(nameWalletError(new WalletError("wrong-network", { cause }))).toBe("wrong-network");
  expect(nameWalletError(new Error("outer", { cause: new WalletError("silent") }))).toBe("silent");
});

test("values that are no errors, and errors that are circular, are survived", () => {
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  for (const error of [null, undefined, 7, "text", circle]) expect(nameWalletError(error)).toBe("failed");
  expect(findSentence(undefined)).toBeNull();
});

test("every error and activity has a title, a reason and a remedy", () => {
  const walletErrors = [
    "rejected",
    "pending",
    "locked",
    "gone",
    "silent",
    "wrong-account",
    "wrong-network",
  ] as const;
  const more = ["chain-silent", "mint-slow", "no-funds", "relay-unreachable", "window-blocked"] as const;
  for (const errorName of [...walletErrors, ...more, "unsupported", "failed"] as const) {
    for (const activity of ["connect", "network", "mint", "sign-in", "form", "reload"] as const) {
      const notice = noticeForWallet(new WalletError(errorName), activity);
      for (const text of [notice.title, notice.detail ?? "", notice.remedy])
        expect(text.length).toBeGreaterThan(15);
    }
  }
});

test("facts that the person must enter by hand are passed on", () => {
  const error = new WalletError("wrong-network", { facts: [["Chain ID", "5"]] });
  expect(noticeForWallet(error, "network").facts).toEqual([["Chain ID", "5"]]);
  expect(noticeForWallet(new Error("x"), "network")).not.toHaveProperty("facts");
});

test("the last visit's wallet is named when it cannot be found", () => {
  expect(noticeForMissing("gone", "Mine")).toMatchObject({
    title: "Your wallet was not found",
  });
  expect(noticeForMissing("locked", "Mine").detail).toContain("connected with Mine");
});
