import {
  findConfirmations,
  isLocalChain,
  keyContractSettings,
  parseRpcUrls,
  readChain,
  readKeyContract,
  rpcAddresses,
} from "~/platform/chain/chain.settings";
import { setting, text } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import type { AddressListFile } from "./file/address-list.server";
import { readKeysFile } from "./file/keys-file.server";
import type { ChainEndpoints, KeysFile } from "./file/keys-file.server";
import type { KeyKind, KeyKinds } from "./kind";

export const keySettings = {
  file: text(
    "KEYS_FILE",
    { range: "JSON file; at most 1 MiB", switches: { name: "Kinds of keys from a file" } },
    "File with several kinds of keys, of several contracts and chains, and what each asks for besides. In place of CHAIN_ID, RPC_URL, KEY_CONTRACT_ADDRESS and KEY_STANDARD.",
  ),
  rpcUrls: setting(
    "RPC_URL_<chainId>",
    { parse: parseRpcUrls, range: "https:// or http:// addresses", isSecret: true, family: rpcAddresses },
    "With KEYS_FILE: the JSON-RPC addresses of one of its chains, such as RPC_URL_8453; comma-separated, tried in turn.",
  ),
};

export type KeyChain = ChainEndpoints & {
  /** How many blocks deep a holding must be before its key can be used up. */
  keyUseConfirmations: number;
};

type KeysConfig = {
  kinds: KeyKinds;
  chains: readonly KeyChain[];
  addressLists: readonly AddressListFile[];
};

/** Without KEYS_FILE, `appName` is the title of the one kind. */
export function readKeys(reader: SettingReader, appName: string): KeysConfig {
  const { file } = reader.read({ file: keySettings.file });
  const rpcUrls = reader.readEach(keySettings.rpcUrls);
  const { kinds, chains, addressLists } =
    file === null ? readOneKind(reader, appName, rpcUrls) : readFile(reader, file, rpcUrls);
  const { keyUseConfirmations } = readChain(reader);
  return {
    kinds: { list: kinds, areNamed: file !== null },
    chains: chains.map((chain) => ({
      ...chain,
      keyUseConfirmations: findConfirmations(chain.id, keyUseConfirmations),
    })),
    addressLists,
  };
}

type RpcUrls = ReadonlyMap<string, readonly string[] | null>;

function readOneKind(reader: SettingReader, appName: string, rpcUrls: RpcUrls): KeysFile {
  if (rpcUrls.size > 0) {
    const names = [...rpcUrls.keys()].map((chain) => `RPC_URL_${chain}`);
    reader.warn(keySettings.file, `is not set, so these count for nothing: ${names.join(", ")}.`);
  }
  const { id: chainId, rpcUrls: urls, contractAddress, standard } = readKeyContract(reader);
  const kind: KeyKind = {
    name: "key",
    title: appName,
    standard,
    chainId,
    contract: contractAddress,
    keptUnder: { chainId, contractAddress },
    delegation: "none",
    delegatesMayUse: false,
    requirement: null,
    opens: ["room", "chat", "tts", "tools"],
  };
  return { kinds: [kind], chains: [{ id: chainId, rpcUrls: urls }], addressLists: [] };
}

function readFile(reader: SettingReader, file: string, rpcUrls: RpcUrls): KeysFile {
  for (const row of Object.values(keyContractSettings)) {
    if (reader.isSet(row))
      reader.report(row, "must not be set beside KEYS_FILE, which says it for each kind.");
  }
  const read = readKeysFile(file, rpcUrls);
  if ("mistakes" in read) {
    for (const mistake of read.mistakes) reader.report(keySettings.file, mistake);
    return { kinds: [], chains: [], addressLists: [] };
  }
  const local = read.chains.filter(({ id }) => isLocalChain(id));
  if (reader.mode === "production" && local.length > 0) {
    reader.warn(keySettings.file, "names a local test chain: anybody can make keys there.");
  }
  return read;
}
