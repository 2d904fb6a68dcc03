// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title Several questions to a chain in one call.
/// @notice Never deployed: its creation code is run by an `eth_call` without a recipient, which every node
/// answers with what the constructor returns. So it needs no helper contract on the chain.
/// @dev The answer names the chain and the block it comes from. Reads are made before a signature is judged,
/// because judging one may run code of the signer's choosing (ERC-6492), which must not colour the reads.
contract ChainProbe {
    /// @dev Without data, the target's balance is meant.
    struct Read {
        address target;
        bytes data;
    }

    /// @dev Only answers of one word are of interest; `size` tells whether there was one. `tookAllGas`: with more it might
    /// have answered otherwise, for a contract may go on after a call of its own that ran out.
    struct Answer {
        bool hasCode;
        bool success;
        bool tookAllGas;
        uint256 size;
        uint256 word;
    }

    /// @dev Without a wallet there is nothing to judge; without a factory the signature is plain ERC-1271.
    struct Signed {
        address wallet;
        bytes32 hash;
        bytes signature;
        address factory;
        bytes factoryData;
    }

    /// @dev Enough for passkey wallets and for deploying large ones, little enough to leave gas for the answer.
    uint256 private constant SIGNATURE_GAS = 6_000_000;
    uint256 private constant FACTORY_GAS = 8_000_000;
    /// @dev What is returned is paid for by the byte, as the code of a contract is: 200 each.
    uint256 private constant GAS_TO_ANSWER = 100_000;
    uint256 private constant GAS_PER_ANSWER = 40_000;

    constructor(Read[] memory reads, Signed memory signed) {
        Answer[] memory answers = new Answer[](reads.length);
        uint256 kept = GAS_TO_ANSWER + GAS_PER_ANSWER * reads.length;
        for (uint256 i = 0; i < reads.length; i++) {
            uint256 left = gasleft();
            answers[i] = answer(reads[i], (left > 2 * kept ? left - kept : left / 2) / (reads.length - i));
        }
        bool hasWallet = signed.wallet.code.length > 0;
        bytes memory output = abi.encode(
            block.chainid,
            block.number,
            block.timestamp,
            hasWallet,
            isSigned(signed, hasWallet),
            answers
        );
        assembly {
            return(add(output, 32), mload(output))
        }
    }

    /// @dev Each read may take an equal share of what those before it left and the answer does not need: a contract that
    /// wastes its own leaves enough for the rest.
    function answer(Read memory read, uint256 gasLimit) private view returns (Answer memory given) {
        given.hasCode = read.target.code.length > 0;
        if (read.data.length == 0) (given.success, given.size, given.word) = (true, 32, read.target.balance);
        else {
            uint256 before = gasleft();
            (given.success, given.size, given.word) = ask(read.target, gasLimit, read.data);
            given.tookAllGas = before - gasleft() >= (gasLimit / 8) * 7;
        }
    }

    /// @dev A wallet that exists is asked as it stands. Only where there is none yet, its factory is called to make it
    /// (ERC-6492). The standard would let the signer's call also prepare a wallet that exists; what it did there, such as
    /// buying the wallet, would have happened nowhere and cost nothing.
    function isSigned(Signed memory signed, bool hasWallet) private returns (bool) {
        if (hasWallet) return isValid(signed);
        if (signed.factory == address(0)) return false;
        address factory = signed.factory;
        bytes memory data = signed.factoryData;
        bool success;
        // In assembly, here and below, so that a huge answer is not copied.
        assembly {
            success := call(FACTORY_GAS, factory, 0, add(data, 32), mload(data), 0, 0)
        }
        return success && signed.wallet.code.length > 0 && isValid(signed);
    }

    function isValid(Signed memory signed) private view returns (bool) {
        bytes memory data = abi.encodeWithSelector(0x1626ba7e, signed.hash, signed.signature);
        (bool success, uint256 size, uint256 word) = ask(signed.wallet, SIGNATURE_GAS, data);
        return success && size >= 32 && bytes4(bytes32(word)) == 0x1626ba7e;
    }

    function ask(
        address target,
        uint256 gasLimit,
        bytes memory data
    ) private view returns (bool success, uint256 size, uint256 word) {
        assembly {
            mstore(0, 0)
            success := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            size := returndatasize()
            word := mload(0)
        }
    }
}
