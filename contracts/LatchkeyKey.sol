// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title A key that anybody may mint for themselves.
/// @notice Price and lifetime are fixed at deployment; zero means free, and valid for ever.
/// @dev `isValidKey` and `keyExpirationTimestampFor` answer as an Unlock lock does, so that a gate set to
/// either standard reads this contract.
contract LatchkeyKey is ERC721, Ownable {
    uint256 public immutable price;
    uint256 public immutable keyDurationSeconds;
    uint256 public totalSupply;

    mapping(uint256 tokenId => uint256 timestamp) private expirations;

    event KeyExtended(uint256 indexed tokenId, uint256 expirationTimestamp);

    error WrongPrice(uint256 sent, uint256 expected);
    error KeysDoNotExpire();
    error WithdrawalFailed();

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 price_,
        uint256 keyDurationSeconds_,
        address owner_
    ) ERC721(name_, symbol_) Ownable(owner_) {
        price = price_;
        keyDurationSeconds = keyDurationSeconds_;
    }

    /// @notice Gives the caller a new key. Ids begin at 1.
    /// @dev Not `_safeMint`: the caller asks for itself, and a wallet contract need not be a receiver.
    function mint() external payable returns (uint256 tokenId) {
        requirePrice();
        tokenId = ++totalSupply;
        if (keyDurationSeconds != 0) expirations[tokenId] = block.timestamp + keyDurationSeconds;
        _mint(msg.sender, tokenId);
    }

    /// @notice Adds one lifetime to a key, counted from its end or from now if it has ended. Anybody may pay.
    function extend(uint256 tokenId) external payable {
        requirePrice();
        if (keyDurationSeconds == 0) revert KeysDoNotExpire();
        _requireOwned(tokenId);
        uint256 from = expirations[tokenId] > block.timestamp ? expirations[tokenId] : block.timestamp;
        expirations[tokenId] = from + keyDurationSeconds;
        emit KeyExtended(tokenId, from + keyDurationSeconds);
    }

    /// @notice Sends what was paid to the owner of the contract.
    function withdraw() external {
        (bool sent, ) = owner().call{value: address(this).balance}("");
        if (!sent) revert WithdrawalFailed();
    }

    /// @notice The second at which the key ends; 0 for a key that was never minted, the maximum for one without end.
    function keyExpirationTimestampFor(uint256 tokenId) public view returns (uint256) {
        if (_ownerOf(tokenId) == address(0)) return 0;
        return keyDurationSeconds == 0 ? type(uint256).max : expirations[tokenId];
    }

    function isValidKey(uint256 tokenId) external view returns (bool) {
        return keyExpirationTimestampFor(tokenId) > block.timestamp;
    }

    function requirePrice() private view {
        if (msg.value != price) revert WrongPrice(msg.value, price);
    }
}
