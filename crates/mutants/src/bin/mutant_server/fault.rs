//! What can be wrong with a server: every fault by name. It knows nothing of how one is done.

use std::fmt;
use std::str::FromStr;

use nuggets_protocol::Dialect;
use thiserror::Error;

/// A word that names no fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no fault '{0}': --list prints all of them")]
pub(crate) struct UnknownFault(String);

/// One list for the faults, for what is said of them and for the order: three would drift apart.
macro_rules! faults {
    ($($name:ident: $about:literal,)+) => {
        /// One broken rule, or one of the quirks that the documents allow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $(#[doc = $about] $name,)+
        }

        impl Fault {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)+];

            /// What is wrong, in a sentence.
            pub(crate) fn about(self) -> &'static str {
                match self {
                    $(Self::$name => $about,)+
                }
            }
        }
    };
}

faults! {
    None: "Nothing is wrong.",

    ExitZeroNoArguments: "Without arguments it exits with 0.",
    ExitZeroTooMany: "With too many arguments it exits with 0.",
    ExitZeroSeedWord: "With a word for a seed it exits with 0.",
    ExitZeroSeedZero: "With the seed 0 it exits with 0.",
    ExitZeroSeedNegative: "With a negative seed it exits with 0.",
    ExitZeroNoMap: "Without the map's file it exits with 0.",
    TakesTooMany: "It plays in spite of too many arguments.",
    TakesSeedWord: "It plays with a word for a seed.",
    TakesSeedZero: "It plays with the seed 0.",
    TakesSeedNegative: "It plays with a negative seed.",
    SeedRequired: "It refuses to play without a seed.",
    SeededByTheSecond: "Without a seed the time in seconds is the seed: allowed.",
    SilentRefusal: "It refuses wrong arguments without a word.",
    CrashNoMap: "It crashes when the map's file is missing.",
    CrashNoArguments: "It crashes without arguments.",

    NeverAnnounces: "It never tells its port.",
    AnnouncesWrongPort: "It tells a port that is not its own.",
    AnnouncesUnflushed: "Its port stays in the buffer of stdout, unless that is a terminal: allowed.",
    AnnouncesOnStderr: "It tells its port on stderr: allowed.",
    AnnouncesLate: "It tells its port two seconds after its start: allowed.",
    AnnouncesTwice: "It tells its port twice: allowed.",
    AnnouncesWithNumbers: "It tells other numbers in the same line: allowed.",
    AnnouncesOtherWords: "It tells its port in other words: allowed.",
    DebugOnStdout: "It writes what it hears to stdout.",
    MapOnStdout: "It writes the map to stdout at its start.",

    OkMissing: "A new player is not sent `OK`.",
    OkLowerCase: "The letter in `OK` is small.",
    OkNewline: "`OK` ends with a newline.",
    OkAfterGrid: "`OK` comes after `GRID`.",
    OkNoBlank: "`OK` has no blank before the letter.",
    GridSwapped: "`GRID` tells columns before rows.",
    GridMissing: "A new player is not sent `GRID`.",
    GridMissingForSpectator: "A new spectator is not sent `GRID`.",
    GridAfterGold: "`GRID` comes after `GOLD`: allowed.",
    GoldMissingAtJoin: "A new player is not sent `GOLD`.",
    GoldMissingAtWatch: "A new spectator is not sent `GOLD`.",
    GoldWrongAtJoin: "A new player is told that nothing is left to find.",
    GoldLateFull: "A player that joins late is told that all gold is left to find.",
    DisplayMissingAtJoin: "A new player is not sent `DISPLAY`.",
    DisplayMissingAtWatch: "A new spectator is not sent `DISPLAY`.",
    NewcomerNotShown: "Other players are not shown a new player.",
    NewcomerNotShownToSpectator: "The spectator is not shown a new player.",

    DisplayNoLastNewline: "`DISPLAY` lacks its last newline.",
    DisplayRowShort: "`DISPLAY` lacks its last row.",
    DisplayTrailingNul: "`DISPLAY` ends with a NUL byte.",
    DisplayRowsTrimmed: "The rows of `DISPLAY` lack their trailing blanks.",
    DisplayBlankHead: "`DISPLAY` has a blank where the first newline should be.",
    DisplayTwice: "Every `DISPLAY` is sent twice: allowed.",

    LettersFromB: "The first letter is `B`.",
    LettersSkip: "Every other letter is left out.",
    LettersReused: "The letter of one who quit is given away again.",
    LettersByName: "A letter is the first of a player's name.",
    SecondLetter: "Another `PLAY` from one address gives it a second letter.",
    SameNameSamePlayer: "Whoever comes under a player's name is taken for that player.",
    RepeatedPlayRefused: "A repeated `PLAY` is answered with a complaint: allowed.",
    RepeatedPlayIgnored: "A repeated `PLAY` is not answered: allowed.",
    TwentySeventhTaken: "The 27th player is welcomed.",
    TwentySeventhIgnored: "The 27th player is not answered.",
    TwentySeventhOtherWords: "The 27th player is refused in other words.",
    TwentySixthRefused: "The 26th player is refused.",

    NamelessTaken: "A player may join with no name at all.",
    BlankNameTaken: "A player may join with a name of blanks.",
    NamelessOtherWords: "The nameless are refused in other words.",
    NamelessIgnored: "The nameless are not answered.",
    BlankNameOtherWords: "A name of blanks is refused in other words: allowed.",
    BarePlayNameless: "`PLAY` alone is refused as nameless: allowed.",
    FormatNameRefused: "A name with `%` in it is answered with a complaint: allowed.",
    NameDigitsRefused: "A name with digits in it is refused.",
    NameNotCut: "Long names are not cut.",
    NameCutShort: "Names are cut to ten bytes.",
    NameNotCleaned: "Odd bytes in names are not replaced.",
    NameBlanksCleaned: "Blanks in names are replaced, too.",
    NameOneWord: "A name ends at its first blank.",

    SecondSpectatorRefused: "A second spectator is refused.",
    ReplacedNotTold: "A replaced spectator is not told.",
    ReplacedOtherWords: "A replaced spectator is told in other words.",
    ReplacedStillShown: "A replaced spectator is still sent pictures.",
    ReplacedQuitsOther: "The `Q` of a replaced spectator dismisses the new one.",
    SpectatorTakesLetter: "The spectator gets a letter and stands on the map.",
    SpectatorFog: "The spectator sees what player A knows.",
    SpectatorNoGold: "The spectator sees no gold.",
    SpectatorSeesAt: "The spectator sees player A as `@`.",
    SpectatorMoves: "The spectator's keys move player A.",
    SpectatorNotShown: "The spectator is not shown anybody's first move.",

    FirstPlayerMoves: "Whoever presses a key, it is player A that moves.",
    DeadStepH: "`h` does nothing.",
    DeadStepL: "`l` does nothing.",
    DeadStepK: "`k` does nothing.",
    DeadStepJ: "`j` does nothing.",
    DeadStepY: "`y` does nothing.",
    DeadStepU: "`u` does nothing.",
    DeadStepB: "`b` does nothing.",
    DeadStepN: "`n` does nothing.",
    DeadSprintH: "`H` does nothing.",
    DeadSprintL: "`L` does nothing.",
    DeadSprintK: "`K` does nothing.",
    DeadSprintJ: "`J` does nothing.",
    DeadSprintY: "`Y` does nothing.",
    DeadSprintU: "`U` does nothing.",
    DeadSprintB: "`B` does nothing.",
    DeadSprintN: "`N` does nothing.",
    LeftIsRight: "Left and right are exchanged.",
    UpIsDown: "Up and down are exchanged.",
    DiagonalsMirrored: "`y` and `u` are exchanged, and so are `b` and `n`.",
    SprintOneStep: "A sprint is one step.",
    SprintStopsAtGold: "A sprint stops on gold.",
    SprintStopsAtPlayers: "A sprint stops before a player.",
    SprintStopsAtPassages: "A sprint stops where a passage begins or ends.",
    SprintStopsShort: "A sprint ends one spot early.",
    SprintStopsAtForks: "A sprint stops where a passage forks.",
    SprintTurns: "A sprint follows the bends of a passage.",
    SprintIntoWall: "A sprint ends inside the wall.",
    SprintPassesGold: "A sprint leaves the gold on its way where it is.",
    SprintInSteps: "A sprint tells of every step: allowed.",
    CornersBlock: "Diagonal steps past a corner are refused.",
    PassagesClosed: "Nobody can step from a room into a passage.",
    WalksWalls: "One can walk on walls.",
    WalksRock: "One can walk into rock.",
    WrapsAtEdges: "A step over the edge of the map comes in on the other side.",
    SwapBlocked: "Nobody can step onto a player.",
    SwapOnOneSpot: "Whoever steps onto a player stands on the same spot.",
    SwapThrows: "Whoever is stepped onto lands one step farther.",
    SwapNotTold: "Whoever is stepped onto is not shown it.",
    SwapOldView: "Whoever is stepped onto sees what it saw before.",
    Steals: "Whoever steps onto a player takes its purse.",

    TotalShort: "There are 249 nuggets.",
    TotalOver: "There are 251 nuggets.",
    NinePiles: "There are nine piles.",
    ThirtyOnePiles: "There are thirty-one piles.",
    PileInPassage: "One pile lies in a passage.",
    EmptyPile: "One pile is empty.",
    PileStays: "A collected pile is still drawn.",
    NuggetLost: "With each pile one nugget is lost.",
    GoldNever: "`GOLD` is only sent to newcomers.",
    GoldOnlyToTaker: "`GOLD` is only sent to whoever took it.",
    GoldFoundZero: "Whoever takes gold is told that nothing was found.",
    GoldOthersFound: "Others are told that they found the gold.",
    GoldOthersPurse: "Others are told the taker's purse.",
    GoldSpectatorNotTold: "The spectator is not told of gold.",
    GoldSpectatorFound: "The spectator is told what the taker found and has.",
    RemainingFrozen: "What is left to find never gets less.",
    PurseNotAdded: "A purse is what was found last.",
    GoldTwice: "What was found is told twice: allowed.",
    SprintGoldLastOnly: "A sprint over several piles tells of the last one only.",
    GoldEveryMove: "`GOLD` is sent with every move: allowed.",
    GoldAfterDisplay: "`GOLD` comes after `DISPLAY`: allowed.",
    SameGameForAllSeeds: "Every seed gives the same game.",
    OtherGameForSameSeed: "The same seed gives different games.",
    LandsInPassage: "The first player lands in a passage.",

    SeesAll: "Players know the whole map and see everything on it.",
    SeesThroughWalls: "Players see what is near, through walls.",
    SightOfOtherDialect: "Players see as in the other dialect.",
    PassagesTransparent: "Passages are as transparent as rooms.",
    ShortSighted: "Players see five gridpoints far.",
    SightFloorOnly: "Between two gridpoints only the lower one counts.",
    SightNearest: "Between two gridpoints only the nearer one counts.",
    SightRowsOnly: "Only the rows in between are looked at.",
    SightColsOnly: "Only the columns in between are looked at.",
    SightFloatSum: "Slopes are added up in floating point.",
    OccupantsBlock: "Players and gold block the view.",
    OccupantsShine: "Whoever stands in a passage can be seen past.",
    WallsUnseen: "Walls are never seen.",
    Forgets: "What is out of sight is forgotten.",
    RemembersGold: "Gold is drawn wherever the map is known.",
    RemembersPlayers: "Players are drawn wherever the map is known.",
    GoldUnseen: "Players are not drawn gold.",
    PlayersUnseen: "Players are not drawn others who have not moved yet.",
    OwnAsLetter: "A player sees itself as a letter.",
    OwnMissing: "A player does not see itself.",
    OthersAsAt: "Others are drawn as `@`.",
    SprintForgets: "What was seen on the way of a sprint is not known afterwards.",
    StalePicture: "Players are always shown the picture before.",
    MovesNotShown: "Other players are not shown a move.",
    MoverNotShown: "A move is not shown to the mover.",

    UnknownKeyMoves: "An unknown key moves to the right.",
    UnknownKeyQuits: "An unknown key is the same as `Q`.",
    SmallQQuits: "`q` is the same as `Q`.",
    DoubleKeyTaken: "`KEY hh` is taken for `KEY h`.",
    LowerCaseTaken: "Words in small letters are taken.",
    NewlineTaken: "A newline at the end is taken.",
    NoBlankTaken: "`KEYh` is taken.",
    GluedPlayTaken: "`PLAYBob` is taken.",
    LeadingBlankTaken: "Blanks before the first word are taken.",
    SpectateTailTaken: "`SPECTATE` may be followed by anything.",
    StrangerMoves: "The keys of strangers move player A.",
    UnknownWordQuits: "A player's message with an unknown first word is the same as `KEY Q`.",
    ServerWordsObeyed: "A player's message in the server's own words is the same as `KEY Q`.",
    MalformedQuits: "Malformed messages are answered with `QUIT`.",
    ComplaintNoWord: "Complaints lack their first word.",
    NoComplaints: "There are no complaints: allowed.",
    BlockedShows: "A step into a wall is answered with the same pictures: allowed.",
    BlockedComplains: "A step into a wall is answered with a complaint: allowed.",

    QuitterStays: "Whoever quits is still drawn.",
    QuitUnanswered: "Whoever quits is not answered.",
    QuitterWalks: "The keys of one who has quit put it back on the map, until its next `Q`.",
    QuitterReturns: "Whoever has quit may join again.",
    FarewellOtherWords: "A player is dismissed in other words.",
    WatcherQuitUnanswered: "The spectator's `Q` is not answered.",
    WatcherFarewellOtherWords: "The spectator is dismissed in other words.",
    QuitterStillShown: "Whoever has quit is still sent pictures.",
    WatcherStillShown: "A spectator who has quit is still sent pictures.",
    QuitNotShown: "Others are not shown that somebody has quit.",
    QuitFreezes: "After somebody has quit nobody can move.",
    QuitterNotInTable: "Whoever has quit is not in the table.",
    DropsOnQuit: "The gold of whoever quits becomes a pile.",
    EndsWhenEmpty: "The game ends when its last player quits.",
    WatcherEndsGame: "The game ends when the spectator quits.",

    TableReversed: "The table's last row is the first.",
    TableByPurse: "The table goes by purses.",
    TableWrongPurses: "The table tells one nugget too many for everybody.",
    TableNoNames: "The table has no names.",
    TableNoLetters: "The table has no letters.",
    TableNoHead: "The table is not announced by `GAME OVER:`.",
    TableTrailingNewline: "The table ends with a newline: allowed.",
    TableOtherSpacing: "The columns of the table are close together: allowed.",
    TableWithCommas: "There are commas between the columns of the table: allowed.",
    TableWithBars: "There are bars around the columns of the table: allowed.",
    TableNotToSpectator: "The spectator is not sent the table.",
    TableNotToPlayers: "Players are not sent the table.",
    TableOnlyToTaker: "Of the players only the one who ends the game is sent the table.",
    TableExtraRow: "The table has a row for somebody who never joined.",
    TableNotPrinted: "The table is not printed.",
    PrintsNoHead: "The table is printed without `GAME OVER:`.",
    ChatterAtEnd: "A line is printed after the table.",
    NeverOver: "The game goes on after the last nugget.",
    OverTooEarly: "The game ends while five nuggets are left.",
    ExitsOneAtEnd: "After the game it exits with 1.",
    StaysAfterEnd: "After the game it does not exit.",
    CrashAtEnd: "After the game it crashes.",

    CrashOnEmpty: "An empty message makes it crash.",
    CrashOnHuge: "A message of more than 1000 bytes makes it crash.",
    CrashOnNul: "A NUL byte makes it crash.",
    CrashOnBinary: "A byte outside ASCII makes it crash.",
    CrashOnLongName: "A name of more than 50 bytes makes it crash.",
    CrashOnVeryLongName: "A name of more than 2000 bytes makes it crash.",
    CrashOnPercent: "`%n` or `%s` in a message makes it crash.",
    CrashOnBarePlay: "`PLAY` without a name makes it crash.",
    CrashOnBareKey: "`KEY` without a key makes it crash.",
    CrashOnFlood: "The hundredth malformed message makes it crash.",
    CrashOnManyKeys: "The thousandth key makes it crash.",
    CrashOnStrangersKey: "A stranger's key makes it crash.",
    CrashOnTwentySeventh: "A player too many makes it crash.",
    CrashOnCrowd: "It crashes when the 40th address asks to play.",
    CrashOnKeyAfterQuit: "The key of one who has quit makes it crash.",
    CrashOnSecondSpectator: "A second spectator makes it crash.",
    HangsOnMalformed: "A malformed message silences it for ever.",
    ExitsOnMalformed: "A malformed message makes it exit.",
    DiesWhenClientsVanish: "The third move that is shown to a client that is gone makes it crash.",
    AnswersFromOtherPort: "It answers from another port.",
    SpectatorFirst: "The spectator is told before the players, at times 30 ms: allowed.",
    SpectatorLast: "The spectator is told after the players, at times 30 ms: allowed.",
    SlowAnswers: "Every answer is 150 ms late: allowed.",
    NoisyStderr: "It logs without end on stderr: allowed.",
    LeavesChild: "It starts a process that outlives it: allowed.",
    LeavesDaemon: "The same in a session of its own: allowed.",
    IgnoresSignals: "It does not heed the signals that ask it to end: allowed.",
}

impl Fault {
    /// The only dialect in which it is wrong; none if it is wrong in both.
    pub(crate) fn dialect(self) -> Option<Dialect> {
        let only_2021 = matches!(
            self,
            Self::ExitZeroSeedZero
                | Self::ExitZeroSeedNegative
                | Self::TakesSeedZero
                | Self::TakesSeedNegative
                | Self::TwentySeventhOtherWords
                | Self::NamelessOtherWords
                | Self::BlankNameOtherWords
                | Self::ReplacedOtherWords
                | Self::FarewellOtherWords
                | Self::WatcherFarewellOtherWords
                | Self::TableNoHead
                | Self::PrintsNoHead
                | Self::SightFloorOnly
                | Self::SightNearest
                | Self::SightRowsOnly
                | Self::SightColsOnly
                | Self::SightFloatSum
                | Self::OccupantsShine
        );
        match self {
            Self::SeededByTheSecond => Some(Dialect::V2019),
            _ => only_2021.then_some(Dialect::V2021),
        }
    }

    /// Is it a quirk that must pass?
    pub(crate) fn is_allowed(self) -> bool {
        self == Self::None || self.about().ends_with(": allowed.")
    }
}

/// `SprintOneStep` is `sprint-one-step`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        f.pad(&name)
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(word: &str) -> Result<Self, UnknownFault> {
        let found = Self::ALL.iter().copied().find(|fault| fault.to_string() == word);
        found.ok_or_else(|| UnknownFault(word.escape_debug().to_string()))
    }
}
