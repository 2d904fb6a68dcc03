import { emptyContent } from "~/content/content.schema";
import type { GatedContent } from "~/content/content.schema";
import { Refusal } from "~/platform/refusals/refusal";
import { judgeWithState, questionOf, requireHolder } from "../tokens/holder.server";
import type { HolderDependencies } from "../tokens/holder.server";
import type { Holder } from "../tokens/access-token.schema";
import { contentNameOf, opensRoom } from "../kinds/kind";
import type { Claimant, SignedClaimant } from "../proofs/proof.server";
import { proveAndJudge } from "../proofs/signature.server";
import type { SignatureDependencies } from "../proofs/signature.server";
import { requireMet, requireRoom } from "../tokens/require-met";

export type AdmitDependencies = HolderDependencies &
  SignatureDependencies & {
    mintToken: (grant: TokenGrant) => Promise<string>;
    readContent: (request: { tokenId: string }) => Promise<GatedContent>;
    countGrant: (proof: Claimant["kind"]) => void;
  };

export type TokenGrant = Pick<SignedClaimant, "address" | "keyKind" | "tokenId" | "vault" | "signedText"> & {
  auth: SignedClaimant["kind"];
  siwe: SignedClaimant["claims"];
  /** The signing wallet has no code yet. */
  isUndeployed: boolean;
  /** The key left and came back, so the token must be younger. */
  departedAtMs: number | null;
  /** When the chain was read. The token is dated so that later departures end it. */
  ownedAtMs: number;
};

export type Admission = { success: true; access: "granted"; accessToken?: string; content: GatedContent };

/**
 * Verifies a signed claimant: the signature, then on the chain that the key is held, and that it is unused. Then it
 * mints a token. A token's holder was verified before, so only the key is checked. Returns what the key opens.
 */
export async function admit(claimant: Claimant, dependencies: AdmitDependencies): Promise<Admission> {
  let accessToken: string | undefined;
  if (claimant.claims === null) await requireHolder(claimant, dependencies);
  else accessToken = await signIn(claimant, dependencies);
  const { keyKind, tokenId } = claimant;
  const isRoomOpen = claimant.claims === null ? claimant.opensRoom : opensRoom(keyKind);
  const content = isRoomOpen
    ? await dependencies.readContent({ tokenId: contentNameOf(dependencies.kinds, keyKind, tokenId) })
    : emptyContent;
  dependencies.countGrant(claimant.kind);
  return { success: true, access: "granted", ...(accessToken ? { accessToken } : {}), content };
}

export type ContentDependencies = HolderDependencies & {
  origin: string;
  readContent: (request: { tokenId: string; mediaOrigin: string }) => Promise<GatedContent>;
};

/** Makes every check of the gate again. */
export async function readContentFor(
  holder: Holder,
  { origin, readContent, ...dependencies }: ContentDependencies,
): Promise<GatedContent> {
  const { keyKind, tokenId } = holder;
  requireRoom(holder);
  await requireHolder(holder, dependencies);
  return readContent({ tokenId: contentNameOf(dependencies.kinds, keyKind, tokenId), mediaOrigin: origin });
}

async function signIn(claimant: SignedClaimant, dependencies: AdmitDependencies): Promise<string> {
  const { kind: auth, claims: siwe, address, keyKind, tokenId, vault, signature, signedText } = claimant;
  const { kinds, judge, clock } = dependencies;
  const question = questionOf(claimant);
  let ownedAtMs = clock();
  let isUndeployed = false;
  async function prove() {
    // Reads the chain afresh, because the token outlives any cached reading.
    const proven = await proveAndJudge({ message: signedText, signature, question }, dependencies);
    isUndeployed = proven.isUndeployed;
    return proven.judgement;
  }
  const { judgement, state } = await judgeWithState(claimant, prove, dependencies);
  requireMet(question, judgement, kinds);
  const { used, departedAtMs } = state;
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (departedAtMs !== null && departedAtMs >= ownedAtMs) {
    // The key was seen leaving meanwhile. A token dated past the departure needs a newer block.
    ownedAtMs = clock();
    const readAgain = () => judge.judge({ ...question, fresh: true });
    const { judgement: again, state: noticed } = await judgeWithState(claimant, readAgain, dependencies);
    requireMet(question, again, kinds);
    if (noticed.departedAtMs !== departedAtMs) {
      throw new Refusal("you-do-not-own-this-token", {
        detail: "The key was seen leaving the wallet during the sign-in. If it is there, sign in again.",
      });
    }
  }
  await claimant.spend();
  const proven = { address, keyKind, tokenId, vault, auth, siwe, signedText, isUndeployed };
  return await dependencies.mintToken({ ...proven, departedAtMs, ownedAtMs });
}
