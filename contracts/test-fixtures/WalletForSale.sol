// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A wallet whose control changes hands for a price, as that of a token-bound account does with its token.
contract WalletForSale {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function buy(address buyer) external payable {
        require(msg.value >= 1 ether, "too little");
        owner = buyer;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(hash, signature);
        return failure == ECDSA.RecoverError.NoError && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// @notice Spends its money as it is told: what a dishonest signer would name as the factory of a wallet, for money
/// that is spent in a simulation is not spent.
contract Spender {
    function fund() external payable {}

    function spend(address target, uint256 value, bytes calldata data) external {
        (bool done, ) = target.call{value: value}(data);
        require(done, "the call failed");
    }
}
