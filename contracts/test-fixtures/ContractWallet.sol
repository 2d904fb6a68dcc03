// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @notice The least a wallet contract can be: one owner, ERC-1271 signatures, and calls the owner asks for. What the
/// owner approved on the chain is signed by an empty signature, as with a Safe.
contract ContractWallet is ERC1155Holder {
    address public immutable owner;
    mapping(bytes32 hash => bool) private approved;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length == 0) return approved[hash] ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
        (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(hash, signature);
        return failure == ECDSA.RecoverError.NoError && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function approve(bytes32 hash) external {
        require(msg.sender == owner, "not the owner");
        approved[hash] = true;
    }

    function execute(address target, bytes calldata data) external payable {
        require(msg.sender == owner, "not the owner");
        (bool done, ) = target.call{value: msg.value}(data);
        require(done, "the call failed");
    }
}

/// @notice Makes wallets at addresses known beforehand (ERC-6492).
contract ContractWalletFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new ContractWallet{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(ContractWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash)))));
    }
}

interface OpenMint {
    function mint(address to, uint256 id, uint256 amount) external;
}

/// @notice Makes a wallet and, in the same call, gives it a key: what a dishonest signer would have run while
/// its signature is judged.
contract GiftingFactory is ContractWalletFactory {
    function createWithKey(address owner, bytes32 salt, OpenMint keys, uint256 id) external {
        keys.mint(this.create(owner, salt), id, 1);
    }
}
